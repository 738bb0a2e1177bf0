// In:  for x in [0, threads):                      Out: first = max(0, low - place), last = min(threads, high - place)
//        if low <= place + x < high: work               if first < last: for x in [first, last): work
//
// Conditions that are the same for all threads are checked before the loop, too.
//
// What a thread does for which a condition fails must be nothing: no stores, and what the loop computes stays as it is.

#include "codegen/DeviceLink/ThreadLoopBounds.h"
#include "codegen/DeviceLink/CountOfThreads.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// A condition that holds for the rounds in which value + round is, in that sense, on this side of `limit`.
struct Bound {
  ICmpInst *condition;
  bool holds;                    ///< what the condition has to be; the rest is what it says then
  ICmpInst::Predicate predicate; ///< slt, sle, sgt, sge or eq, of numbers with a sign
  Value *value, *limit;          ///< no limit: 0
};

class LoopBounder {
public:
  LoopBounder(Loop &loop, LoopInfo &loops, DominatorTree &tree, ScalarEvolution &scalars)
      : loop(loop), loops(loops), tree(tree), scalars(scalars), expander(scalars, "bound"),
        before(loop.getLoopPreheader()), head(loop.getHeader()), latch(loop.getLoopLatch()),
        exit(loop.getUniqueExitBlock()), count(loop, scalars) {}

  bool canBound();
  void bound();

private:
  void findBounds();
  void addBounds(Value *condition, bool holds);
  void addBound(ICmpInst &condition, bool holds);
  bool canSkip(BasicBlock &from);
  bool canMove();
  const SCEVAddRecExpr *inductionOf(PHINode &phi) {
    auto *recurrence = scalars.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scalars.getSCEV(&phi)) : nullptr;
    return recurrence && recurrence->isAffine() && recurrence->getLoop() == &loop && phi.getType()->isIntegerTy()
               ? recurrence
               : nullptr;
  }
  Value *expand(const SCEV *value) {
    return expander.expandCodeFor(value, value->getType(), before->getTerminator()->getIterator());
  }
  bool canCopy(Value *value);
  Value *inFirstRound(IRBuilder<> &builder, Value *value);
  std::pair<Value *, Value *> rounds(IRBuilder<> &builder);

  void createGuard(Value *isEmpty);

  Loop &loop;
  LoopInfo &loops;
  DominatorTree &tree;
  ScalarEvolution &scalars;
  SCEVExpander expander;
  BasicBlock *before, *head, *latch, *exit;
  CountOfThreads count;
  PHINode *counter = nullptr; ///< grows by 1 in each round
  SmallVector<Bound> bounds;
  SmallVector<std::pair<Value *, bool>> conditions; ///< the same for all rounds, and what they have to be
};

/// True if `value` is computed from the numbers that each round begins with by additions and the like.
bool LoopBounder::canCopy(Value *value) {
  if (loop.isLoopInvariant(value) || (isa<PHINode>(value) && cast<PHINode>(value)->getParent() == head))
    return true;
  auto *instruction = cast<Instruction>(value);
  return (isa<CastInst>(instruction) || (instruction->isBinaryOp() && !instruction->isIntDivRem())) &&
         all_of(instruction->operands(), [&](Value *operand) { return canCopy(operand); });
}

/// Computes before the loop what `value` is in its first round.
Value *LoopBounder::inFirstRound(IRBuilder<> &builder, Value *value) {
  if (loop.isLoopInvariant(value))
    return value;
  if (auto *phi = dyn_cast<PHINode>(value))
    return phi->getIncomingValueForBlock(before);
  Instruction *copy = cast<Instruction>(value)->clone();
  for (Use &operand : copy->operands())
    operand.set(inFirstRound(builder, operand.get()));
  return builder.Insert(copy);
}

/// Conditions of numbers without a sign are such of numbers with one if their limit has none.
void LoopBounder::addBound(ICmpInst &condition, bool holds) {
  ICmpInst::Predicate predicate = holds ? condition.getPredicate() : condition.getInversePredicate();
  Value *value = condition.getOperand(0), *limit = condition.getOperand(1);
  if (loop.isLoopInvariant(value)) {
    std::swap(value, limit);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 || !loop.isLoopInvariant(limit) ||
      !canCopy(value))
    return;
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(scalars.getSCEV(value));
  if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
      !recurrence->getStepRecurrence(scalars)->isOne() || !recurrence->hasNoSignedWrap())
    return;
  if (ICmpInst::isUnsigned(predicate)) {
    bool isBelow = predicate == ICmpInst::ICMP_ULT || predicate == ICmpInst::ICMP_ULE;
    if (!isBelow || !scalars.isKnownNonNegative(scalars.getSCEV(limit)))
      return;
    bounds.push_back({&condition, holds, ICmpInst::ICMP_SGE, value, nullptr});
    predicate = ICmpInst::getSignedPredicate(predicate);
  }
  if (ICmpInst::isSigned(predicate) || predicate == ICmpInst::ICMP_EQ)
    bounds.push_back({&condition, holds, predicate, value, limit});
}

void LoopBounder::addBounds(Value *condition, bool holds) {
  Value *left, *right;
  bool isPair = holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                      : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (isPair) {
    addBounds(left, holds);
    addBounds(right, holds);
  } else if (match(condition, m_Not(m_Value(left)))) {
    addBounds(left, !holds);
  } else if (loop.isLoopInvariant(condition)) {
    if (!isa<Constant>(condition))
      conditions.push_back({condition, holds});
  } else if (auto *compare = dyn_cast<ICmpInst>(condition)) {
    addBound(*compare, holds);
  }
}

/// True if the loop computes nothing in a round that goes from `from` to the latch at once.
bool LoopBounder::canSkip(BasicBlock &from) {
  for (PHINode &phi : head->phis())
    if (!inductionOf(phi)) {
      Value *next = phi.getIncomingValueForBlock(latch);
      auto *joined = dyn_cast<PHINode>(next);
      if (next != &phi && (!joined || joined->getParent() != latch || joined->getIncomingValueForBlock(&from) != &phi))
        return false;
    }
  return none_of(from, [](Instruction &instruction) { return instruction.mayHaveSideEffects(); });
}

/// Follows the loop from its head as long as there are conditions of all the rest.
void LoopBounder::findBounds() {
  for (BasicBlock *block = head; block && block != latch;) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !is_contained(branch->successors(), latch) || !canSkip(*block))
      return;
    bool holds = branch->getSuccessor(1) == latch;
    addBounds(branch->getCondition(), holds);
    BasicBlock *next = branch->getSuccessor(holds ? 0 : 1);
    block = next->getSinglePredecessor() ? next : nullptr;
  }
}

/// True if nothing but sums, which rounds that do nothing leave as they are, is used behind the loop.
bool LoopBounder::canMove() {
  for (PHINode &phi : head->phis()) {
    if (const SCEVAddRecExpr *induction = inductionOf(phi)) {
      const SCEV *step = induction->getStepRecurrence(scalars);
      if (!expander.isSafeToExpand(step))
        return false;
      if (step->isOne())
        counter = &phi;
    }
  }
  auto isSum = [&](Value *value) {
    return any_of(head->phis(),
                  [&](PHINode &phi) { return !inductionOf(phi) && phi.getIncomingValueForBlock(latch) == value; });
  };
  for (PHINode &phi : exit->phis())
    if (Value *value = phi.getIncomingValueForBlock(latch); !loop.isLoopInvariant(value) && !isSum(value))
      return false;
  return counter && none_of(*latch, [](Instruction &instruction) { return instruction.mayHaveSideEffects(); });
}

bool LoopBounder::canBound() {
  if (!before || !latch || !exit || loop.getExitingBlock() != latch || exit->getSinglePredecessor() != latch ||
      !isa<BranchInst>(latch->getTerminator()))
    return false;
  if (!count.isKnown() || !canMove())
    return false;
  findBounds();
  return !bounds.empty() || !conditions.empty();
}

/// The first round in which all bounds hold, and the one behind the last.
std::pair<Value *, Value *> LoopBounder::rounds(IRBuilder<> &builder) {
  Value *one = builder.getInt64(1), *first = builder.getInt64(0);
  Value *end = count.emit();
  auto least = [&](Value *round) { first = builder.CreateBinaryIntrinsic(Intrinsic::smax, first, round); };
  auto most = [&](Value *round) { end = builder.CreateBinaryIntrinsic(Intrinsic::smin, end, round); };
  for (const Bound &bound : bounds) {
    auto wide = [&](Value *value) { return builder.CreateSExt(value, builder.getInt64Ty()); };
    Value *limit = bound.limit ? wide(bound.limit) : builder.getInt64(0);
    Value *round = builder.CreateBinaryIntrinsic(Intrinsic::ssub_sat, limit, wide(inFirstRound(builder, bound.value)));
    // No thread may come to a condition whose limit has no value.
    round = builder.CreateFreeze(round);
    Value *next = builder.CreateBinaryIntrinsic(Intrinsic::sadd_sat, round, one);
    if (bound.predicate == ICmpInst::ICMP_SLT)
      most(round);
    if (bound.predicate == ICmpInst::ICMP_SLE || bound.predicate == ICmpInst::ICMP_EQ)
      most(next);
    if (bound.predicate == ICmpInst::ICMP_SGE || bound.predicate == ICmpInst::ICMP_EQ)
      least(round);
    if (bound.predicate == ICmpInst::ICMP_SGT)
      least(next);
  }
  return {first, end};
}

/// Lets the loop be passed by.
void LoopBounder::createGuard(Value *isEmpty) {
  // Behind the loop, sums of no rounds are what they began with.
  for (PHINode &phi : exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(latch);
    for (PHINode &sum : head->phis())
      if (!inductionOf(sum) && sum.getIncomingValueForBlock(latch) == value) {
        value = sum.getIncomingValueForBlock(before);
        break;
      }
    phi.addIncoming(value, before);
  }
  auto *enter = BasicBlock::Create(before->getContext(), "bound.enter", before->getParent(), head);
  BranchInst::Create(head, enter)->setDebugLoc(before->getTerminator()->getDebugLoc());
  for (PHINode &phi : head->phis())
    phi.replaceIncomingBlockWith(before, enter);
  ReplaceInstWithInst(before->getTerminator(), BranchInst::Create(exit, enter, isEmpty));
  tree.addNewBlock(enter, before);
  tree.changeImmediateDominator(head, enter);
  tree.changeImmediateDominator(exit, before);
  if (Loop *around = loop.getParentLoop())
    around->addBasicBlockToLoop(enter, loops);
}

void LoopBounder::bound() {
  IRBuilder<> builder(before->getTerminator());
  auto [first, end] = rounds(builder);
  auto atRound = [&](PHINode &phi, Value *round) {
    Value *start = phi.getIncomingValueForBlock(before), *step = expand(inductionOf(phi)->getStepRecurrence(scalars));
    return builder.CreateAdd(start, builder.CreateMul(builder.CreateTrunc(round, phi.getType()), step));
  };
  Value *counterEnd = atRound(*counter, end);
  SmallVector<std::pair<PHINode *, Value *>> starts;
  for (PHINode &phi : head->phis())
    if (inductionOf(phi))
      starts.push_back({&phi, atRound(phi, first)});
  for (auto [phi, start] : starts)
    phi->setIncomingValueForBlock(before, start);
  Value *isEmpty = builder.CreateICmpSGE(first, end);
  for (auto [condition, holds] : conditions) {
    Value *known = builder.CreateFreeze(condition);
    isEmpty = builder.CreateOr(isEmpty, holds ? builder.CreateNot(known) : known);
  }
  createGuard(isEmpty);

  auto *branch = cast<BranchInst>(latch->getTerminator());
  IRBuilder<> atEnd(branch);
  bool exitsIfTrue = branch->getSuccessor(0) == exit;
  branch->setCondition(atEnd.CreateICmp(exitsIfTrue ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE,
                                        counter->getIncomingValueForBlock(latch), counterEnd));
  auto replace = [&](Value &condition, bool holds) {
    condition.replaceUsesWithIf(ConstantInt::getBool(condition.getType(), holds), [&](Use &use) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      return user && loop.contains(user);
    });
  };
  for (const Bound &bound : bounds)
    replace(*bound.condition, bound.holds);
  for (auto [condition, holds] : conditions)
    replace(*condition, holds);
  scalars.forgetTopmostLoop(&loop);
}

bool isLoopOfThreads(const Loop &loop) { return findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses"); }

} // namespace

PreservedAnalyses cufort::codegen::BoundLoopsOfThreads::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  ScalarEvolution &scalars = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isLoopOfThreads(*loop))
      continue;
    changed |= simplifyLoop(loop, &tree, &loops, &scalars, &analyses.getResult<AssumptionAnalysis>(function), nullptr,
                            /*PreserveLCSSA=*/false);
    changed |= formLCSSA(*loop, tree, &loops, &scalars);
    if (LoopBounder bounder(*loop, loops, tree, scalars); bounder.canBound()) {
      bounder.bound();
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
