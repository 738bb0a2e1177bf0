// Address spaces of matrices that warps load and store.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Makes wmma intrinsics of optimised GPU code name the address space of their matrix where it is known: LLVM infers
/// address spaces for ordinary loads and stores only.
void nameMatrixAddressSpaces(llvm::Module &module);

} // namespace cufort::codegen
