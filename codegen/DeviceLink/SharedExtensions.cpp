// In:  a + 4 * zext(k) - 4, where k is known not to be negative, a + 4 * sext(k)
// Out: a + 4 * zext(k) - 4, a + 4 * zext(k), which is the same address with two distances
//
// LLVM has the second from k + 1 in the round before, of whose subscript 1 is taken.

#include "codegen/DeviceLink/SharedExtensions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

/// An extension of what `extension` extends that has the same value and comes before, or null.
static Instruction *sameBefore(SExtInst &extension, const DominatorTree &tree) {
  for (User *user : extension.getOperand(0)->users())
    if (auto *other = dyn_cast<ZExtInst>(user);
        other && other->hasNonNeg() && other->getType() == extension.getType() && tree.dominates(other, &extension))
      return other;
  return nullptr;
}

PreservedAnalyses SharedExtensions::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *extension = dyn_cast<SExtInst>(&instruction);
    Instruction *other = extension && !isa<Constant>(extension->getOperand(0)) ? sameBefore(*extension, tree) : nullptr;
    if (!other)
      continue;
    extension->replaceAllUsesWith(other);
    extension->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
