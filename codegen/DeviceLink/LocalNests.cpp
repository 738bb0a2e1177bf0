#include "codegen/DeviceLink/LocalNests.h"
#include "codegen/DeviceLink/LocalElements.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

constexpr unsigned mostRounds = 16;
/// Of all rounds of a nest together, as it is: most of it are subscripts and counters, which go.
constexpr uint64_t largestNest = 4096;
/// Half of a thread's registers.
constexpr uint64_t largestArray = 512;

class Nests : LoopUnroller {
public:
  Nests(Function &function, FunctionAnalysisManager &analyses) : LoopUnroller(function, analyses) {}

  /// Unrolls one loop; false if there is none left.
  bool unrollOne() {
    for (Loop *loop : loops.getLoopsInPreorder())
      if (!loop->isInnermost() && loop->isLoopSimplifyForm() && loop->isLCSSAForm(tree) && isSmall(*loop))
        return unroll(*loop);
    return false;
  }

private:
  /// True if `loop` is small enough, and the source does not say that it stays.
  bool isSmall(Loop &loop) {
    unsigned rounds = evolution.getSmallConstantTripCount(&loop);
    return rounds > 1 && rounds <= mostRounds && !(hasUnrollTransformation(&loop) & TM_Disable) &&
           choosesLocalElements(loop, evolution, largestArray) && costOf(loop) <= largestNest;
  }

  /// The rounds of `loop`, in triangles on average; 0 if they are not known.
  uint64_t roundsOf(const Loop &loop) {
    if (unsigned rounds = evolution.getSmallConstantTripCount(&loop))
      return rounds;
    return (evolution.getSmallConstantMaxTripCount(&loop) + 1) / 2;
  }

  /// What all rounds cost, or more than is allowed if that is not known.
  uint64_t costOf(const Loop &loop) {
    uint64_t rounds = roundsOf(loop), cost = 0;
    if (!rounds || rounds > largestNest)
      return largestNest + 1;
    for (const Loop *inner : loop)
      cost += costOf(*inner);
    for (BasicBlock *block : loop.blocks())
      if (loops.getLoopFor(block) == &loop)
        cost += costOf(*block);
    return rounds * std::min(cost, largestNest + 1);
  }

  uint64_t costOf(BasicBlock &block) {
    InstructionCost cost = 0;
    for (Instruction &instruction : block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (call && (call->isConvergent() || call->cannotDuplicate() || !isa<IntrinsicInst>(call)))
        return largestNest + 1;
      cost += target.getInstructionCost(&instruction, TargetTransformInfo::TCK_CodeSize);
    }
    return cost.isValid() ? cost.getValue() : largestNest + 1;
  }

  bool unroll(Loop &loop) {
    UnrollLoopOptions options{};
    options.Count = evolution.getSmallConstantTripCount(&loop);
    options.Force = true;
    options.ForgetAllSCEV = true;
    return unrollLoop(loop, options) != LoopUnrollResult::Unmodified;
  }
};

} // namespace

PreservedAnalyses cufort::codegen::LocalNests::run(Function &function, FunctionAnalysisManager &analyses) {
  Nests nests(function, analyses);
  bool changed = false;
  while (nests.unrollOne())
    changed = true;
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
