// Device procedures that are too long to be inlined into kernels.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Forbids the inlining of procedures that are marked for it where that would make functions with so much code and so
/// many loops that compiling them takes far longer than compiling the procedures alone. Only procedures stay outside
/// that neither wait for other threads nor use shared memory: they do the same there.
void keepLongProceduresOutside(llvm::Module &module);

} // namespace cufort::codegen
