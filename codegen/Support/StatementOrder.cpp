// In:  g(j, i) = g(1, i) + 1      Out: g(j, i) = g(1, i) + 1
//      x = g(2, i)                     x = element at freeze(address of g(2, i))
//
// Rounds i are independent, which the annotation says. LLVM takes it to mean that nothing in the loop depends on
// anything: it would load g(1, i) and g(2, i), which are neighbours in each round, together, before the store. It does
// so only for addresses that it knows to grow by the same distance from round to round, and of a frozen address it
// knows nothing.

#include "codegen/Support/StatementOrder.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// How far apart in memory neighbouring rounds may be for that, in accesses, if LLVM is not told otherwise.
constexpr uint64_t mostJoined = 8;

/// A load or store whose address grows by more than what it accesses from round to round, so that accesses of
/// neighbours may be joined to one.
struct SteppedAccess {
  size_t number; ///< among the accesses of the loop, in the order of its statements
  const SCEV *place;
  int64_t step;  ///< bytes
  uint64_t size; ///< bytes
  bool isStore;
  bool isHidden = false;
};

class LoopOrder {
public:
  LoopOrder(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution, AAResults &aliases)
      : predicated(evolution, loop), evolution(evolution), aliases(aliases) {
    LoopBlocksRPO order(&loop);
    order.perform(&loops);
    for (BasicBlock *block : order)
      for (Instruction &instruction : *block)
        if (instruction.mayReadOrWriteMemory()) {
          addStepped(instruction);
          accesses.push_back(&instruction);
        }
  }

  bool keep() {
    bool changed = false;
    for (SteppedAccess &access : stepped)
      if (movesPastAnother(access)) {
        hide(access);
        changed = true;
      }
    return changed;
  }

private:
  void addStepped(Instruction &instruction) {
    Value *address = getLoadStorePointerOperand(&instruction);
    const SCEVAddRecExpr *place = address ? predicated.getAsAddRec(address) : nullptr;
    auto *step = place && place->isAffine() ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution)) : nullptr;
    if (!step || step->getAPInt().getSignificantBits() > 64)
      return;
    uint64_t size = instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
    int64_t distance = step->getAPInt().getSExtValue();
    if (auto apart = static_cast<uint64_t>(std::abs(distance)); apart > size && apart <= mostJoined * size)
      stepped.push_back({accesses.size(), place, distance, size, isa<StoreInst>(instruction)});
  }

  /// True if LLVM may join both.
  bool mayBeJoined(const SteppedAccess &a, const SteppedAccess &b) const {
    if (a.isHidden || b.isHidden || a.isStore != b.isStore || a.step != b.step || a.size != b.size)
      return false;
    std::optional<APInt> distance = evolution.computeConstantDifference(a.place, b.place);
    return distance && distance->abs().ult(static_cast<uint64_t>(std::abs(a.step)));
  }

  /// True if what is joined is where `access` is not, and there is something between that may be of its memory: loads
  /// go to the first of them, stores to the last.
  bool movesPastAnother(const SteppedAccess &access) {
    std::optional<size_t> other = access.isStore ? conflictAfter(access.number) : conflictBefore(access.number);
    return other && any_of(stepped, [&](const SteppedAccess &neighbour) {
             bool isBeyond = access.isStore ? neighbour.number > *other : neighbour.number < *other;
             return isBeyond && mayBeJoined(access, neighbour);
           });
  }

  std::optional<size_t> conflictBefore(size_t load) {
    MemoryLocation memory = MemoryLocation::get(accesses[load]);
    for (size_t number = load; number-- > 0;)
      if (isModSet(aliases.getModRefInfo(accesses[number], memory)))
        return number;
    return std::nullopt;
  }

  std::optional<size_t> conflictAfter(size_t store) {
    MemoryLocation memory = MemoryLocation::get(accesses[store]);
    for (size_t number = store + 1; number < accesses.size(); ++number)
      if (isModOrRefSet(aliases.getModRefInfo(accesses[number], memory)))
        return number;
    return std::nullopt;
  }

  void hide(SteppedAccess &access) {
    Instruction *instruction = accesses[access.number];
    Value *address = getLoadStorePointerOperand(instruction);
    auto *frozen = new FreezeInst(address, "", instruction->getIterator());
    instruction->replaceUsesOfWith(address, frozen);
    access.isHidden = true;
  }

  /// Assumes that subscripts do not wrap around, as LLVM does, which then tests it.
  PredicatedScalarEvolution predicated;
  ScalarEvolution &evolution;
  BatchAAResults aliases;
  SmallVector<Instruction *> accesses;
  SmallVector<SteppedAccess> stepped;
};

} // namespace

PreservedAnalyses StatementOrder::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isAnnotatedParallel())
      changed |= LoopOrder(*loop, loops, analyses.getResult<ScalarEvolutionAnalysis>(function),
                           analyses.getResult<AAManager>(function))
                     .keep();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
