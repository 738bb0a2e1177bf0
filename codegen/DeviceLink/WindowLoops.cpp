#include "codegen/DeviceLink/WindowLoops.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "codegen/DeviceLink/RoundCost.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <optional>

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// The rounds of the largest window, and what all copies of a round may cost.
constexpr unsigned mostRounds = 8, mostCost = 320;
/// How often a number is replaced by one of those that it is the least or the greatest of.
constexpr unsigned mostSteps = 64;

/// A sum of multiples of numbers, and a constant, taken for what they mean: no Fortran program may let integers
/// overflow, so that a number is the same in 32 and in 64 bits.
struct LinearSum {
  explicit LinearSum(ScalarEvolution &evolution) : evolution(&evolution) {}

  ScalarEvolution *evolution;
  int64_t constant = 0;
  SmallMapVector<const SCEV *, int64_t, 8> terms;

  void add(const SCEV *number, int64_t factor) {
    auto *value = dyn_cast<SCEVConstant>(number);
    auto *product = dyn_cast<SCEVMulExpr>(number);
    auto *multiplier = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    if (value && value->getAPInt().getSignificantBits() <= 32)
      constant += factor * value->getAPInt().getSExtValue();
    else if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(number))
      add(cast<SCEVCastExpr>(number)->getOperand(), factor);
    else if (auto *sum = dyn_cast<SCEVAddExpr>(number))
      for (const SCEV *operand : sum->operands())
        add(operand, factor);
    else if (multiplier && product->getNumOperands() == 2 && multiplier->getAPInt().getSignificantBits() <= 16)
      add(product->getOperand(1), factor * multiplier->getAPInt().getSExtValue());
    else if (const SCEV *term = product ? narrowProduct(*product) : number; (terms[term] += factor) == 0)
      terms.erase(term);
  }

  /// A product of numbers that have been extended, before that.
  const SCEV *narrowProduct(const SCEVMulExpr &product) const {
    SmallVector<const SCEV *> factors;
    for (const SCEV *operand : product.operands())
      if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(operand))
        factors.push_back(cast<SCEVCastExpr>(operand)->getOperand());
    bool areAlike = all_of(factors, [&](const SCEV *each) { return each->getType() == factors.front()->getType(); });
    return factors.size() == product.getNumOperands() && areAlike ? evolution->getMulExpr(factors) : &product;
  }

  /// This sum with `operand` in the place of a term.
  LinearSum with(const SCEV *operand, const SCEV *term) const {
    LinearSum result = *this;
    int64_t factor = terms.lookup(term);
    result.terms.erase(term);
    result.add(operand, factor);
    return result;
  }
};

/// Finds a constant that a sum does not exceed.
class UpperBound {
public:
  std::optional<int64_t> of(const LinearSum &sum) {
    if (sum.terms.empty())
      return sum.constant;
    // What is the greatest of some numbers for all that is known comes before what is the least. The number that is
    // made of others comes before these.
    const SCEVMinMaxExpr *chosen = nullptr;
    bool isLeast = false;
    for (auto [term, factor] : sum.terms) {
      auto *extreme = dyn_cast<SCEVMinMaxExpr>(term);
      bool least = extreme && isa<SCEVSMinExpr, SCEVUMinExpr>(extreme) == (factor > 0);
      if (extreme && (!chosen || (isLeast && !least) ||
                      (isLeast == least && extreme->getExpressionSize() > chosen->getExpressionSize()))) {
        chosen = extreme;
        isLeast = least;
      }
    }
    if (!chosen || ++steps > mostSteps)
      return std::nullopt;
    std::optional<int64_t> result;
    for (const SCEV *operand : chosen->operands()) {
      std::optional<int64_t> bound = of(sum.with(operand, chosen));
      if (!bound && !isLeast)
        return std::nullopt;
      if (bound)
        result = !result ? *bound : isLeast ? std::min(*result, *bound) : std::max(*result, *bound);
    }
    return result;
  }

private:
  unsigned steps = 0;
};

class Windows : LoopUnroller {
public:
  Windows(Function &function, FunctionAnalysisManager &analyses) : LoopUnroller(function, analyses) {}

  bool unrollAll() {
    bool changed = false;
    SmallVector<Loop *> innermostFirst = loops.getLoopsInPreorder();
    for (Loop *loop : reverse(innermostFirst))
      if (std::optional<unsigned> rounds = roundsOf(*loop); rounds && isWorthwhile(*loop, *rounds))
        changed |= unroll(*loop, *rounds);
    return changed;
  }

private:
  /// The rounds of the whole window that `loop` goes over, if it does that.
  std::optional<unsigned> roundsOf(const Loop &loop) {
    BasicBlock *latch = loop.getLoopLatch();
    if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !loop.isLCSSAForm(tree) || !loop.isLoopExiting(latch) ||
        hasUnrollTransformation(&loop) != TM_Unspecified)
      return std::nullopt;
    if (unsigned known = evolution.getSmallConstantMaxTripCount(&loop); known && known <= mostRounds)
      return std::nullopt;
    const SCEV *taken = evolution.getExitCount(&loop, latch);
    if (isa<SCEVCouldNotCompute>(taken))
      return std::nullopt;
    LinearSum sum(evolution);
    sum.add(taken, 1);
    std::optional<int64_t> most = UpperBound().of(sum);
    return most && *most > 0 && *most < mostRounds ? std::optional<unsigned>(*most + 1) : std::nullopt;
  }

  bool isWorthwhile(const Loop &loop, unsigned rounds) {
    std::optional<unsigned> cost = costOfRound(loop, target);
    return cost && *cost * rounds <= mostCost && readsArrays(loop);
  }

  bool unroll(Loop &loop, unsigned rounds) {
    UnrollLoopOptions options{};
    options.Count = rounds;
    options.Force = true;
    options.ForgetAllSCEV = true;
    LoopUnrollResult result = unrollLoop(loop, options);
    // The last copy is the last round.
    if (result == LoopUnrollResult::PartiallyUnrolled)
      breakLoopBackedge(&loop, tree, evolution, loops, /*MSSA=*/nullptr);
    return result != LoopUnrollResult::Unmodified;
  }
};

} // namespace

PreservedAnalyses cufort::codegen::WindowLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  return Windows(function, analyses).unrollAll() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
