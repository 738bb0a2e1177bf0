#include "codegen/DeviceLink/SharedPlaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

/// How many ways have to compute something.
static constexpr size_t fewestWays = 3;
/// Larger functions have too many values in registers.
static constexpr unsigned mostInstructions = 1000;

namespace {

/// Instructions in different blocks that compute the same.
using Alike = SmallVector<Instruction *, 4>;

/// True for what subscripts and addresses are made of.
bool isPartOfPlace(const Instruction &instruction) {
  if (isa<GetElementPtrInst>(instruction))
    return true;
  return (isa<BinaryOperator>(instruction) || isa<SExtInst, ZExtInst, TruncInst>(instruction)) &&
         instruction.getType()->isIntegerTy() && !instruction.isIntDivRem();
}

class PlaceSharing {
public:
  PlaceSharing(Function &function, DominatorTree &tree, LoopInfo &loops)
      : function(function), tree(tree), loops(loops) {}

  bool run() {
    bool changed = false;
    while (shareOnce())
      changed = true;
    return changed;
  }

private:
  bool shareOnce();
  BasicBlock *placeFor(const Alike &all) const;
  void share(const Alike &all, BasicBlock &place);

  Function &function;
  DominatorTree &tree;
  LoopInfo &loops;
};

/// The block before all ways, if it can compute what they do; null otherwise. Not from within a loop: what is the same
/// in all rounds has left it.
BasicBlock *PlaceSharing::placeFor(const Alike &all) const {
  BasicBlock *place = all.front()->getParent();
  for (Instruction *each : all)
    place = tree.findNearestCommonDominator(place, each->getParent());
  for (Instruction *each : all)
    if (each->getParent() == place || loops.getLoopFor(each->getParent()) != loops.getLoopFor(place))
      return nullptr;
  bool canCompute = all_of(all.front()->operands(), [&](const Use &operand) {
    auto *value = dyn_cast<Instruction>(operand);
    return !value || tree.dominates(value, place->getTerminator());
  });
  return canCompute ? place : nullptr;
}

void PlaceSharing::share(const Alike &all, BasicBlock &place) {
  Instruction *first = all.front();
  first->moveBefore(place.getTerminator()->getIterator());
  for (Instruction *each : drop_begin(all)) {
    first->andIRFlags(each);
    first->applyMergedLocation(first->getDebugLoc(), each->getDebugLoc());
    each->replaceAllUsesWith(first);
    each->eraseFromParent();
  }
}

bool PlaceSharing::shareOnce() {
  MapVector<hash_code, SmallVector<Alike, 1>> found;
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order)
    for (Instruction &instruction : *block) {
      if (!isPartOfPlace(instruction))
        continue;
      hash_code hash = hash_combine(instruction.getOpcode(), instruction.getType(),
                                    hash_combine_range(instruction.value_op_begin(), instruction.value_op_end()));
      auto &groups = found[hash];
      auto group =
          find_if(groups, [&](const Alike &all) { return all.front()->isIdenticalToWhenDefined(&instruction); });
      if (group != groups.end())
        group->push_back(&instruction);
      else
        groups.push_back({&instruction});
    }
  bool changed = false;
  for (auto &[hash, groups] : found)
    for (Alike &all : groups)
      if (all.size() >= fewestWays)
        if (BasicBlock *place = placeFor(all)) {
          share(all, *place);
          changed = true;
        }
  return changed;
}

} // namespace

PreservedAnalyses SharedPlaces::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.getInstructionCount() > mostInstructions)
    return PreservedAnalyses::all();
  PlaceSharing sharing(function, analyses.getResult<DominatorTreeAnalysis>(function),
                       analyses.getResult<LoopAnalysis>(function));
  if (!sharing.run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
