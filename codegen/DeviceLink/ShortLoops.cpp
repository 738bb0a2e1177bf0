#include "codegen/DeviceLink/ShortLoops.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "codegen/DeviceLink/RoundCost.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

constexpr unsigned copies = 4;
/// What a round may cost: in longer ones counting does not matter.
constexpr unsigned longestRound = 48;

class Shortened : LoopUnroller {
public:
  Shortened(Function &function, FunctionAnalysisManager &analyses) : LoopUnroller(function, analyses) {}

  bool unrollAll() {
    bool changed = false;
    for (Loop *loop : loops.getLoopsInPreorder())
      changed |= isShort(*loop) && unroll(*loop);
    return changed;
  }

private:
  bool isShort(const Loop &loop) {
    if (!loop.isInnermost() || loop.isOutermost() || loop.getNumBlocks() == 1 || !loop.isLoopSimplifyForm() ||
        !loop.isLCSSAForm(tree) || loop.getExitingBlock() != loop.getLoopLatch() ||
        hasUnrollTransformation(&loop) != TM_Unspecified || evolution.getSmallConstantMaxTripCount(&loop) ||
        !evolution.hasLoopInvariantBackedgeTakenCount(&loop))
      return false;
    std::optional<unsigned> cost = costOfRound(loop, target);
    return cost && *cost <= longestRound && readsArrays(loop);
  }

  bool unroll(Loop &loop) {
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable");
    UnrollLoopOptions options{};
    options.Count = copies;
    options.Force = true;
    options.ForgetAllSCEV = true;
    return unrollLoop(loop, options) != LoopUnrollResult::Unmodified;
  }
};

} // namespace

PreservedAnalyses cufort::codegen::ShortLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  return Shortened(function, analyses).unrollAll() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
