// What makes threads of the emulated device wait for each other.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace cufort::codegen {

/// How the threads of a kernel wait for each other.
enum class Waiting {
  Never,
  InMeetings, ///< only in calls from the kernel itself, of kinds that phases can begin with
  Otherwise   ///< also in what is not known, or called
};

/// The functions that `call` may call, none if that is not known.
llvm::SmallVector<llvm::Function *, 1> knownCallees(const llvm::CallBase &call);

/// Finds it out, once for each function as long as none changes.
class WaitAnalysis {
public:
  Waiting waitingOf(llvm::Function &kernel);

  /// True if `call` is of something that waits, or something unknown, or what may wait in turn.
  bool callMayWait(llvm::CallBase &call);

private:
  bool mayWait(llvm::Function &function);

  llvm::DenseMap<llvm::Function *, bool> results;
};

} // namespace cufort::codegen
