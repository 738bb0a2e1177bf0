// In:  wide = zext(i)                      Out: wide = zext(i)
//      ... a + 8 * wide ...                     ... a + 8 * wide ...
//      a loop                                   a loop
//      store at y + 8 * wide                    store at y + (the product of 8 and i, in 64 bits)
//
// A register pair that only waits for the loop to end is one that ptxas lacks for a load: it keeps fewer of them under
// way so as not to need more registers than a full multiprocessor has for a thread. The product is one instruction,
// with the base of the array from constant memory.

#include "codegen/DeviceLink/RepeatedPlaces.h"
#include "codegen/DeviceLink/WideProduct.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// The address of an element of an array that is an argument, by a subscript of 32 bits.
struct Place {
  GetElementPtrInst *address;
  CastInst *subscript;
};

class Repetition {
public:
  Repetition(Function &function, FunctionAnalysisManager &analyses)
      : function(function), layout(function.getDataLayout()), loops(analyses.getResult<LoopAnalysis>(function)),
        tree(analyses.getResult<DominatorTreeAnalysis>(function)) {}

  bool run() {
    bool changed = false;
    for (const Place &place : places()) {
      for (Use &use : make_early_inc_range(place.address->uses()))
        changed |= repeatBehindLoops(place, use);
      RecursivelyDeleteTriviallyDeadInstructions(place.address);
    }
    return changed;
  }

private:
  SmallVector<Place> places() {
    SmallVector<Place> result;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *address = dyn_cast<GetElementPtrInst>(&instruction);
        if (!address || address->getNumIndices() != 1 || !isa<Argument>(address->getPointerOperand()))
          continue;
        auto *subscript = dyn_cast<CastInst>(address->getOperand(1));
        if (subscript && isa<ZExtInst, SExtInst>(subscript) && subscript->getSrcTy()->isIntegerTy(32))
          result.push_back({address, subscript});
      }
    return result;
  }

  bool repeatBehindLoops(const Place &place, Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (none_of(loops.getLoopsInPreorder(), [&](Loop *loop) { return waitsFor(*loop, place, *where); }))
      return false;
    Value *&repeated = copies[{place.address, where}];
    if (!repeated)
      repeated = repeat(place, *where);
    else if (!phi && user->comesBefore(cast<Instruction>(repeated)))
      return false;
    use.set(repeated);
    return true;
  }

  /// True if what `place` is computed from waits in registers while `loop` runs, on the way to `where`.
  bool waitsFor(const Loop &loop, const Place &place, const BasicBlock &where) {
    const BasicBlock *from = place.subscript->getParent(), *exit = loop.getExitBlock();
    bool isBefore = tree.dominates(&where, loop.getHeader());
    if (loop.contains(&where) || isBefore || !exit || !tree.properlyDominates(from, loop.getHeader()))
      return false;
    SmallPtrSet<BasicBlock *, 1> again;
    if (const Loop *parent = loop.getParentLoop())
      again.insert(parent->getHeader());
    return !isUsedIn(loop, *place.subscript) && !isUsedIn(loop, *place.address) &&
           isPotentiallyReachable(exit, &where, &again, &tree, &loops);
  }

  static bool isUsedIn(const Loop &loop, const Instruction &value) {
    return any_of(value.users(), [&](const User *user) {
      auto *instruction = cast<Instruction>(user);
      return loop.contains(instruction) || (isa<GetElementPtrInst>(instruction) && isUsedIn(loop, *instruction));
    });
  }

  Value *repeat(const Place &place, BasicBlock &where) {
    IRBuilder<> builder(&*where.getFirstInsertionPt());
    auto size = layout.getTypeAllocSize(place.address->getSourceElementType()).getFixedValue();
    Value *offset = createWideProduct(builder, place.subscript->getOperand(0), size, isa<SExtInst>(place.subscript));
    return builder.CreatePtrAdd(place.address->getPointerOperand(), offset);
  }

  Function &function;
  const DataLayout &layout;
  LoopInfo &loops;
  DominatorTree &tree;
  DenseMap<std::pair<Value *, BasicBlock *>, Value *> copies;
};

} // namespace

PreservedAnalyses cufort::codegen::RepeatedPlaces::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Repetition(function, analyses).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
