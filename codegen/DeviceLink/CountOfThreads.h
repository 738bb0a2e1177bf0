// How many threads loops over threads have.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstrTypes.h"

namespace cufort::codegen {

/// The number of rounds of a loop in simplified form that ends in its latch.
class CountOfThreads {
public:
  CountOfThreads(llvm::Loop &loop, llvm::ScalarEvolution &scalars);

  bool isKnown() const { return limit || lastRound; }

  /// Emits it before the loop, an i64.
  llvm::Value *emit();

private:
  bool findLimit();

  llvm::Loop &loop;
  llvm::ScalarEvolution &scalars;
  llvm::Value *first = nullptr;          ///< of a counter
  llvm::Value *limit = nullptr;          ///< that the counter, increased by 1, is compared with
  llvm::CmpInst::Predicate goesOn = {};  ///< in this way for another round
  const llvm::SCEV *lastRound = nullptr; ///< if there is no such counter
};

} // namespace cufort::codegen
