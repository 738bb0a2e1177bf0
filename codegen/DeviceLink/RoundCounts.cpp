// In:  rounds = (last - first + step) / step, in 64 bits, for a counter that goes down to zero
// Out: rounds = step > 0 ? (last >= first ? (last - first) / step + 1 : 0)
//                        : (last <= first ? (first - last) / -step + 1 : 0), the quotients without a sign, and in 32
//      bits if the bounds are

#include "codegen/DeviceLink/RoundCounts.h"
#include "codegen/DeviceLink/NarrowNumbers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// The bounds and the step of a DO loop, and whether they have 32 bits or would fit into them.
struct Bounds {
  Value *first, *last, *step;
  bool areNarrow;
};

std::optional<Bounds> boundsIn(BinaryOperator &quotient) {
  Value *first, *last, *step = quotient.getOperand(1);
  bool isCount =
      match(&quotient, m_SDiv(m_c_Add(m_Sub(m_Value(last), m_Value(first)), m_Specific(step)), m_Specific(step)));
  if (!isCount)
    return std::nullopt;
  bool areNarrow = step->getType()->isIntegerTy(32) || (isNarrow(first) && isNarrow(last) && isNarrow(step));
  return Bounds{first, last, step, areNarrow};
}

/// True if `quotient` is nothing but where counters of loops start.
bool isForCounters(const BinaryOperator &quotient, const LoopInfo &loops) {
  return all_of(quotient.users(), [&](const User *user) {
    auto *counter = dyn_cast<PHINode>(user);
    return counter && loops.isLoopHeader(counter->getParent()) && all_of(counter->users(), [](const User *use) {
             return match(use, m_Sub(m_Value(), m_One())) || match(use, m_Add(m_Value(), m_AllOnes())) ||
                    match(use, m_SpecificICmp(CmpInst::ICMP_SGT, m_Value(), m_Zero()));
           });
  });
}

/// True if threads may meet in what `call` calls. `known` has procedures of which it is known or being found out.
bool threadsMayMeetIn(const CallBase &call, SmallPtrSetImpl<const Function *> &known) {
  const Function *callee = call.getCalledFunction();
  if (isa<IntrinsicInst>(call))
    return call.isConvergent();
  if (!callee || callee->isDeclaration())
    return true;
  return known.insert(callee).second && any_of(instructions(callee), [&](const Instruction &each) {
           auto *next = dyn_cast<CallBase>(&each);
           return next && threadsMayMeetIn(*next, known);
         });
}

/// True if `quotient` counts loops that are not nested and call nothing in which threads may meet. ptxas does better
/// with others as they are.
bool countsSingleLoops(const BinaryOperator &quotient, const LoopInfo &loops) {
  SmallPtrSet<const Function *, 8> known;
  return all_of(quotient.users(), [&](const User *counter) {
    const Loop *loop = loops.getLoopFor(cast<PHINode>(counter)->getParent());
    return loop->isInnermost() && loop->isOutermost() && none_of(loop->blocks(), [&](const BasicBlock *block) {
             return any_of(*block, [&](const Instruction &instruction) {
               auto *call = dyn_cast<CallBase>(&instruction);
               return call && threadsMayMeetIn(*call, known);
             });
           });
  });
}

/// True if `number` is positive, or a product of such numbers: no Fortran program may let it overflow.
bool isPositive(Value *number, const DataLayout &layout) {
  Value *left, *right, *narrow;
  if (match(number, m_SExt(m_Value(narrow))))
    number = narrow;
  return isKnownPositive(number, layout) ||
         (match(number, m_Mul(m_Value(left), m_Value(right))) && isPositive(left, layout) && isPositive(right, layout));
}

Value *createCount(IRBuilder<> &builder, const Bounds &bounds, const DataLayout &layout) {
  Type *whole = bounds.step->getType(), *type = bounds.areNarrow ? builder.getInt32Ty() : whole;
  auto narrow = [&](Value *number) { return builder.CreateTrunc(number, type); };
  Value *first = narrow(bounds.first), *last = narrow(bounds.last), *step = narrow(bounds.step);
  Value *from = first, *to = last, *size = step;
  if (!isPositive(bounds.step, layout)) {
    Value *goesUp = builder.CreateICmpSGT(step, ConstantInt::get(type, 0));
    from = builder.CreateSelect(goesUp, first, last);
    to = builder.CreateSelect(goesUp, last, first);
    size = builder.CreateSelect(goesUp, step, builder.CreateNeg(step));
  }
  Value *distance = builder.CreateSub(to, from);
  // Says that the number is not negative, which follows from the zeros in front if there are any.
  if (!bounds.areNarrow)
    distance = builder.CreateBinaryIntrinsic(Intrinsic::smax, distance, ConstantInt::get(type, 0));
  Value *goesOn = builder.CreateZExt(builder.CreateUDiv(distance, size), whole);
  bool fits = whole != builder.getInt32Ty();
  Value *count = builder.CreateAdd(goesOn, ConstantInt::get(whole, 1), "", /*HasNUW=*/fits, /*HasNSW=*/fits);
  return builder.CreateSelect(builder.CreateICmpSGE(to, from), count, ConstantInt::get(whole, 0), "rounds");
}

/// True if `sum` adds and subtracts a few numbers of 32 bits.
bool isSumOfNarrow(Value *sum, unsigned depth = 0) {
  Value *left, *right;
  bool isSum = match(sum, m_Add(m_Value(left), m_Value(right))) || match(sum, m_Sub(m_Value(left), m_Value(right)));
  return isNarrow(sum) || (isSum && depth < MaxAnalysisRecursionDepth && isSumOfNarrow(left, depth + 1) &&
                           isSumOfNarrow(right, depth + 1));
}

/// The number of rounds if bounds and step have become `sum`, a constant among the bounds and the step together.
Value *createCount(BinaryOperator &quotient, Value *sum, const APInt &step) {
  IRBuilder<> builder(&quotient);
  Type *wide = sum->getType(), *narrow = builder.getInt32Ty();
  Constant *size = ConstantInt::get(wide, step);
  Value *distance = builder.CreateTrunc(builder.CreateSub(sum, size), narrow);
  Value *goesOn = builder.CreateZExt(builder.CreateUDiv(distance, ConstantInt::get(narrow, step.trunc(32))), wide);
  Value *count = builder.CreateNUWAdd(goesOn, ConstantInt::get(wide, 1));
  return builder.CreateSelect(builder.CreateICmpSGE(sum, size), count, ConstantInt::get(wide, 0), "rounds");
}

/// The number of rounds that `quotient` is, computed in another way, or null.
Value *createCount(BinaryOperator &quotient) {
  const DataLayout &layout = quotient.getDataLayout();
  Value *sum;
  const APInt *step;
  if (std::optional<Bounds> bounds = boundsIn(quotient)) {
    // A long division with a sign is no longer than one without, and what it takes to get rid of the sign.
    if (!bounds->areNarrow && !isPositive(bounds->step, layout))
      return nullptr;
    IRBuilder<> builder(&quotient);
    return createCount(builder, *bounds, layout);
  }
  bool isNarrowSum = match(&quotient, m_SDiv(m_Value(sum), m_APInt(step))) && sum->getType()->isIntegerTy(64) &&
                     step->sgt(1) && step->isSignedIntN(32) && isSumOfNarrow(sum);
  return isNarrowSum ? createCount(quotient, sum, *step) : nullptr;
}

} // namespace

PreservedAnalyses cufort::codegen::RoundCounts::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *quotient = dyn_cast<BinaryOperator>(&instruction);
      if (!quotient || !isForCounters(*quotient, loops) ||
          (isa<Constant>(quotient->getOperand(1)) && !countsSingleLoops(*quotient, loops)))
        continue;
      Value *count = createCount(*quotient);
      if (!count)
        continue;
      quotient->replaceAllUsesWith(count);
      quotient->eraseFromParent();
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
