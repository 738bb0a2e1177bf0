// Versions of kernels for arrays whose elements are neighbours in memory.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// Gives `kernel` a version for arrays with plain strides (cufortNoteStrides), if it computes with strides that
/// descriptors among its arguments have. Returns where that version begins; null if there is none.
llvm::BasicBlock *createContiguousVersion(llvm::Function &kernel);

/// Takes out of that version what only tells of factors that strides have.
void forgetFactors(llvm::Function &kernel);

/// Lets what `blocks`, which runs blocks of the emulated device, calls for their threads take arrays of assumed shape
/// for such with plain strides. Returns the numbers of the kernel's parameters that have to be descriptors of such
/// arrays; none if nothing has changed.
llvm::SmallVector<unsigned> assumePlainStrides(llvm::Function &blocks);

} // namespace cufort::codegen
