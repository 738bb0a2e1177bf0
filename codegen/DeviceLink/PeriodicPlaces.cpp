// In:  mod(i + 1, n), mod(i - 1 + n, n), modulo(i - 1, n), where 0 <= i < n is known
// Out: i + 1 >= n ? i + 1 - n : i + 1, and i - 1 < 0 ? i - 1 + n : i - 1
//
// A remainder by a variable takes some 20 instructions. For neighbours further away than one, n may be less than their
// distance: then the remainder is computed as before.

#include "codegen/DeviceLink/PeriodicPlaces.h"
#include "codegen/DeviceLink/Modulo.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;
using namespace llvm::PatternMatch;

/// How far away a neighbour may be.
static constexpr int64_t furthest = 16;

namespace {

/// A remainder of what is `distance`, and -1 to 1 `periods`, away from a place in the period, from 0 on.
struct Neighbour {
  BinaryOperator *remainder;
  Instruction *result; ///< the remainder, or what MODULO makes of it
  int64_t distance, periods;

  bool isModulo() const { return result != remainder; }
  // Asked for when they are needed: the place may have been a neighbour that has been replaced.
  Value *place() const { return remainder->getOperand(0); }
  Value *period() const { return remainder->getOperand(1); }
};

/// A place as the sum of another one, a constant, and periods.
struct Sum {
  Value *base = nullptr;
  int64_t distance = 0, periods = 0;

  Sum(Value *value, Value *period) {
    while (!addTerm(value, period)) {
      Value *left, *right;
      if (match(value, m_AddLike(m_Value(left), m_Value(right))) && addTerm(right, period)) {
        value = left;
      } else if (match(value, m_c_Add(m_Specific(period), m_Value(left)))) {
        ++periods;
        value = left;
      } else if (match(value, m_Sub(m_Value(left), m_Specific(period)))) {
        --periods;
        value = left;
      } else {
        base = value;
        return;
      }
    }
  }

private:
  /// Adds `value` if it is made of the period and constants only.
  bool addTerm(Value *value, Value *period) {
    const APInt *constant;
    if (value == period) {
      ++periods;
      return true;
    }
    if (match(value, m_APInt(constant)) && constant->getSignificantBits() <= 32) {
      distance += constant->getSExtValue();
      return true;
    }
    if (match(value, m_AddLike(m_Specific(period), m_APInt(constant))) && constant->getSignificantBits() <= 32) {
      distance += constant->getSExtValue();
      ++periods;
      return true;
    }
    return false;
  }
};

class Places {
public:
  Places(ScalarEvolution &evolution, LazyValueInfo &ranges) : evolution(evolution), ranges(ranges) {}

  /// `result` is the remainder, or all of a MODULO with it.
  std::optional<Neighbour> find(Instruction &result, BinaryOperator &remainder) const {
    Value *period = remainder.getOperand(1);
    if (isa<Constant>(period) || !period->getType()->isIntegerTy())
      return std::nullopt;
    Sum sum(remainder.getOperand(0), period);
    if (!sum.base || std::abs(sum.periods) > 1)
      return std::nullopt;
    for (int64_t shift : {0, 1, -1})
      if (isInside(*sum.base, shift, period, remainder))
        return Neighbour{&remainder, &result, sum.distance - shift, sum.periods};
    return std::nullopt;
  }

  bool isAtLeast(Value *period, int64_t extent, const Instruction &at) const {
    const SCEV *least = evolution.getConstant(period->getType(), extent, true);
    return extent <= 1 || evolution.isKnownPredicateAt(ICmpInst::ICMP_SGE, evolution.getSCEV(period), least, &at);
  }

private:
  /// True if `base` + `shift` is not negative and less than `period`.
  bool isInside(Value &base, int64_t shift, Value *period, Instruction &at) const {
    const SCEV *moved = evolution.getSCEV(&base);
    moved = evolution.getAddExpr(moved, evolution.getConstant(moved->getType(), shift, true));
    return ((shift == 0 && isNotNegative(base, at)) || evolution.isKnownNonNegative(moved) ||
            evolution.isKnownPredicateAt(ICmpInst::ICMP_SGE, moved, evolution.getZero(moved->getType()), &at)) &&
           (evolution.isKnownPredicateAt(ICmpInst::ICMP_SLT, moved, evolution.getSCEV(period), &at) ||
            staysBelow(moved, period, at));
  }

  /// True if `place` is a variable that goes up by one in each round of a loop, and ends below `period`.
  bool staysBelow(const SCEV *place, Value *period, Instruction &at) const {
    auto *variable = dyn_cast<SCEVAddRecExpr>(place);
    if (!variable || !variable->hasNoSignedWrap() || !variable->getStepRecurrence(evolution)->isOne())
      return false;
    const SCEV *again = evolution.getBackedgeTakenCount(variable->getLoop());
    if (isa<SCEVCouldNotCompute>(again))
      return false;
    const SCEV *extent = evolution.getSCEV(period);
    const SCEV *last =
        evolution.getAddExpr(variable->getStart(), evolution.getTruncateOrZeroExtend(again, place->getType()));
    auto *below = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(extent, last));
    return below && below->getAPInt().isStrictlyPositive() && isNotNegative(*period, at);
  }

  bool isNotNegative(Value &value, Instruction &at) const {
    return ranges.getConstantRange(&value, &at, /*UndefAllowed=*/false).isAllNonNegative();
  }

  ScalarEvolution &evolution;
  LazyValueInfo &ranges;
};

/// What `neighbour` is if its distance is at most a period.
Value *emitWrapped(const Neighbour &neighbour, IRBuilder<> &builder) {
  Value *place = neighbour.place(), *period = neighbour.period();
  if (neighbour.periods != 0)
    place = neighbour.periods > 0 ? builder.CreateSub(place, period) : builder.CreateAdd(place, period);
  if (neighbour.distance == 0)
    return place;
  if (neighbour.distance > 0)
    return builder.CreateSelect(builder.CreateICmpSGE(place, period), builder.CreateSub(place, period), place);
  Value *isBefore = builder.CreateICmpSLT(place, ConstantInt::getNullValue(place->getType()));
  return builder.CreateSelect(isBefore, builder.CreateAdd(place, period), place);
}

Value *emitRemainder(const Neighbour &neighbour, IRBuilder<> &builder) {
  Value *remainder = builder.CreateSRem(neighbour.place(), neighbour.period());
  if (!neighbour.isModulo())
    return remainder;
  Value *isBefore = builder.CreateICmpSLT(remainder, ConstantInt::getNullValue(remainder->getType()));
  return builder.CreateSelect(isBefore, builder.CreateAdd(remainder, neighbour.period()), remainder);
}

/// What `neighbour` is, whose distance may be more than a period.
Value *emitGuarded(const Neighbour &neighbour) {
  IRBuilder<> builder(neighbour.result);
  auto *distance = ConstantInt::get(neighbour.period()->getType(), std::abs(neighbour.distance));
  Instruction *near, *far;
  SplitBlockAndInsertIfThenElse(builder.CreateICmpSGE(neighbour.period(), distance), neighbour.result, &near, &far,
                                MDBuilder(builder.getContext()).createLikelyBranchWeights());
  builder.SetInsertPoint(near);
  Value *wrapped = emitWrapped(neighbour, builder);
  builder.SetInsertPoint(far);
  Value *remainder = emitRemainder(neighbour, builder);
  builder.SetInsertPoint(neighbour.result);
  PHINode *result = builder.CreatePHI(wrapped->getType(), 2);
  result->addIncoming(wrapped, near->getParent());
  result->addIncoming(remainder, far->getParent());
  return result;
}

/// The remainders of `function` that are neighbours in periodic arrays.
SmallVector<Neighbour> findNeighbours(Function &function, const Places &places) {
  SmallVector<Neighbour> found;
  SmallPtrSet<const Instruction *, 8> covered;
  auto add = [&](Instruction &result, BinaryOperator &remainder) {
    std::optional<Neighbour> neighbour = places.find(result, remainder);
    // What MOD makes of something negative is negative.
    bool mayBeBefore = neighbour && (neighbour->periods < 0 || (neighbour->distance < 0 && neighbour->periods == 0));
    if (neighbour && std::abs(neighbour->distance) <= furthest && (neighbour->isModulo() || !mayBeBefore))
      found.push_back(*neighbour);
  };
  for (Instruction &instruction : instructions(function))
    if (BinaryOperator *remainder = remainderInModulo(instruction)) {
      add(instruction, *remainder);
      covered.insert(remainder);
    }
  for (Instruction &instruction : instructions(function))
    if ((instruction.getOpcode() == Instruction::SRem || instruction.getOpcode() == Instruction::URem) &&
        !covered.contains(&instruction))
      add(instruction, cast<BinaryOperator>(instruction));
  return found;
}

} // namespace

PreservedAnalyses cufort::codegen::PeriodicPlaces::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = gatherModulo(function);
  Places places(analyses.getResult<ScalarEvolutionAnalysis>(function), analyses.getResult<LazyValueAnalysis>(function));
  SmallVector<Neighbour> neighbours = findNeighbours(function, places);
  if (neighbours.empty())
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  // What is known of periods is asked before anything changes.
  SmallVector<bool> areNear;
  for (const Neighbour &neighbour : neighbours)
    areNear.push_back(places.isAtLeast(neighbour.period(), std::abs(neighbour.distance), *neighbour.result));
  for (auto [neighbour, isNear] : zip(neighbours, areNear)) {
    IRBuilder<> builder(neighbour.result);
    neighbour.result->replaceAllUsesWith(isNear ? emitWrapped(neighbour, builder) : emitGuarded(neighbour));
    RecursivelyDeleteTriviallyDeadInstructions(neighbour.result);
  }
  return PreservedAnalyses::none();
}
