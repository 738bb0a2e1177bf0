// Loops whose variables choose elements of arrays that belong to a thread.
#pragma once

#include "llvm/Analysis/ScalarEvolution.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace cufort::codegen {

/// True if which elements of arrays of the thread are meant in `loop` depends on its variable: by subscripts, or by the
/// bounds of a loop inside it. `mostBytes` is how large such an array may be to count.
bool choosesLocalElements(llvm::Loop &loop, llvm::ScalarEvolution &evolution, uint64_t mostBytes);

} // namespace cufort::codegen
