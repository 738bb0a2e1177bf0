// Loops that wait for another thread without a barrier.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Lets every loop of `module` that waits for what another thread stores give that thread a turn, by a call of
/// cufortEmuNanosleep in each round: threads of one block share a host thread.
void yieldInSpinLoops(llvm::Module &module);

/// True if `function` has such a loop, or sleeps.
bool waitsInLoops(llvm::Function &function);

} // namespace cufort::codegen
