// Versions of kernels for arrays of modules that have the same strides.
#pragma once

#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// Gives `kernel` a version for when allocatable arrays of modules with elements of one size have the same, plain
/// strides, if it uses several. Returns where that version begins; null if there is none.
llvm::BasicBlock *createSameShapesVersion(llvm::Function &kernel);

} // namespace cufort::codegen
