// Versions of kernels for arrays whose elements are neighbours in memory.
#pragma once

#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// Gives `kernel` a version for arrays with plain strides (cufortNoteStrides), if it computes with strides that
/// descriptors among its arguments have. Returns where that version begins; null if there is none.
llvm::BasicBlock *createContiguousVersion(llvm::Function &kernel);

/// Takes out of that version what only tells of factors that strides have.
void forgetFactors(llvm::Function &kernel);

} // namespace cufort::codegen
