#include "codegen/DeviceLink/NeighbourLoads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace {

/// What one instruction loads.
constexpr uint64_t widest = 16;
/// Conditions between the loads.
constexpr unsigned mostBlocks = 3;

class Neighbours {
public:
  Neighbours(ScalarEvolution &evolution, const LoopInfo &loops) : evolution(evolution), loops(loops) {}

  /// Moves `load` to a neighbour before a condition, if it has one.
  bool move(LoadInst &load) {
    if (!load.isSimple() || load.getType()->isVectorTy() || isWrittenBefore(load))
      return false;
    BasicBlock *block = load.getParent();
    for (unsigned way = 0; way < mostBlocks; ++way) {
      block = block->getSinglePredecessor();
      if (!block || loops.getLoopFor(block) != loops.getLoopFor(load.getParent()))
        return false;
      for (Instruction &instruction : reverse(*block)) {
        if (auto *first = dyn_cast<LoadInst>(&instruction); first && isInSamePiece(*first, load))
          return moveAfter(*first, load);
        if (instruction.mayWriteToMemory() && !isUnchanged(load))
          return false;
      }
    }
    return false;
  }

private:
  static bool isUnchanged(const LoadInst &load) { return load.hasMetadata(LLVMContext::MD_invariant_load); }

  /// True if what `load` loads may be written in its block before it.
  static bool isWrittenBefore(const LoadInst &load) {
    return !isUnchanged(load) && any_of(make_range(load.getParent()->begin(), load.getIterator()),
                                        [](const Instruction &earlier) { return earlier.mayWriteToMemory(); });
  }

  /// True if `load` loads from an aligned piece that begins where `first` loads.
  bool isInSamePiece(const LoadInst &first, const LoadInst &load) {
    if (!first.isSimple() || first.getType() != load.getType() ||
        first.getPointerAddressSpace() != load.getPointerAddressSpace() || isUnchanged(first) != isUnchanged(load))
      return false;
    uint64_t piece = std::min(first.getAlign().value(), widest);
    uint64_t bytes = load.getDataLayout().getTypeStoreSize(load.getType());
    if (piece < 2 * bytes)
      return false;
    std::optional<APInt> distance = distanceOf(first, load);
    return distance && !distance->isNegative() && !distance->isZero() && distance->ule(piece - bytes);
  }

  static Value *addressOf(const LoadInst &load) { return const_cast<Value *>(load.getPointerOperand()); }

  std::optional<APInt> distanceOf(const LoadInst &first, const LoadInst &load) {
    return evolution.computeConstantDifference(evolution.getSCEV(addressOf(load)), evolution.getSCEV(addressOf(first)));
  }

  bool moveAfter(LoadInst &first, LoadInst &load) {
    IRBuilder<> builder(first.getNextNode());
    Value *distance = builder.getInt(*distanceOf(first, load));
    load.setOperand(0, builder.CreatePtrAdd(first.getPointerOperand(), distance));
    load.moveBefore(*first.getParent(), builder.GetInsertPoint());
    evolution.forgetValue(&load);
    return true;
  }

  ScalarEvolution &evolution;
  const LoopInfo &loops;
};

} // namespace

PreservedAnalyses cufort::codegen::NeighbourLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  Neighbours neighbours(analyses.getResult<ScalarEvolutionAnalysis>(function),
                        analyses.getResult<LoopAnalysis>(function));
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        changed |= neighbours.move(*load);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
