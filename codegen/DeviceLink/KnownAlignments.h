// How accesses to memory are aligned.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Notes in loads and stores of variables of `module` how they are aligned at least, so that those of neighbours become
/// one: both parts of a complex number, above all. In optimised GPU code; LLVM does not see it of shared memory.
void noteKnownAlignments(llvm::Module &module);

} // namespace cufort::codegen
