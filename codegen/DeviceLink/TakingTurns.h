// Whether threads of two blocks may be one thread that does an instruction of each in turn.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace cufort::codegen {

/// True for a call at which threads of a block or a warp come together. What libdevice says so of is arithmetic.
bool isMeetingOfThreads(const llvm::Instruction &instruction);

/// True if this is where all threads of a block wait for each other.
bool isBarrierOfBlock(const llvm::Instruction &instruction);

/// The variables in shared memory that `kernel` uses.
llvm::SmallSetVector<llvm::GlobalVariable *, 4> sharedVariables(const llvm::Function &kernel);

/// True if nothing in `kernel` waits for another block or can tell when another one does something, and it does not
/// need too much memory twice.
bool mayTakeTurns(const llvm::Function &kernel);

} // namespace cufort::codegen
