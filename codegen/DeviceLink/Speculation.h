// What may be computed before it is certain that it is needed.
#pragma once

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"

namespace cufort::codegen {

/// LLVM's isSafeToSpeculativelyExecute, which knows no instructions that are emitted as they are: those here only
/// compute.
inline bool canComputeEarly(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return (call && call->isInlineAsm() && call->doesNotAccessMemory()) ||
         llvm::isSafeToSpeculativelyExecute(&instruction);
}

} // namespace cufort::codegen
