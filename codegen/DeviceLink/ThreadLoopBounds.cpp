// In:  for x in [0, threads):                      Out: first = max(0, low - place), last = min(threads, high - place)
//        if low <= place + x < high: work               if first < last: for x in [first, last): work
//
// Conditions that are the same for all threads are checked before the loop, too.
//
// What a thread does for which a condition fails must be nothing: no stores, and what the loop computes stays as it is.
// Otherwise short loops are split:
//
//   for x in [0, threads):            Out: for x in [first, last): before, work, rest
//     before                               for (from, to) in (0, first), (last, threads):
//     if low <= place + x < high: work       for x in [from, to): before, rest
//     rest

#include "codegen/DeviceLink/ThreadLoopBounds.h"
#include "codegen/DeviceLink/CountOfThreads.h"
#include "codegen/DeviceLink/WideVersions.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
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

  bool canSplit();
  void split();

private:
  bool isPlain();
  bool findSplit();
  bool hasAccesses(BranchInst &branch);
  PHINode *createPieces(IRBuilder<> &builder, Value *first, Value *end);
  Value *atRound(IRBuilder<> &builder, PHINode &phi, Value *first, Value *round, Value *step);
  void endAt(BranchInst &end, Value *next, Value *last, BasicBlock *outside);
  void replaceBounds();
  void findBounds();
  bool addBounds(Value *condition, bool holds);
  bool addBound(ICmpInst &condition, bool holds);
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
  bool isExact(Value *value);
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
  bool isAlwaysAsked = false;                       ///< the condition that is being looked at, in every round
  BranchInst *splitAt = nullptr;                    ///< whose condition has these bounds
  bool splitHolds = false;                          ///< what it has to be
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

/// True if `value` is made of what does not overflow if it is asked for.
bool LoopBounder::isExact(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (loop.isLoopInvariant(value) || isa<SExtInst>(value))
    return loop.isLoopInvariant(value) || isExact(instruction->getOperand(0));
  if (auto *phi = dyn_cast<PHINode>(instruction)) {
    auto *next = dyn_cast<OverflowingBinaryOperator>(phi->getIncomingValueForBlock(latch));
    return next && next->hasNoSignedWrap();
  }
  auto *sum = dyn_cast<OverflowingBinaryOperator>(instruction);
  return sum && sum->hasNoSignedWrap() && all_of(sum->operands(), [&](Value *operand) { return isExact(operand); });
}

/// Conditions of numbers without a sign are such of numbers with one if their limit has none.
bool LoopBounder::addBound(ICmpInst &condition, bool holds) {
  ICmpInst::Predicate predicate = holds ? condition.getPredicate() : condition.getInversePredicate();
  Value *value = condition.getOperand(0), *limit = condition.getOperand(1);
  if (loop.isLoopInvariant(value)) {
    std::swap(value, limit);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 || !loop.isLoopInvariant(limit) ||
      !canCopy(value))
    return false;
  // Limits and values are of different sizes then, which does not matter where they are compared.
  Value *whole;
  if (match(value, m_Trunc(m_Value(whole))) && whole->getType()->getIntegerBitWidth() <= 64 &&
      (cast<TruncInst>(value)->hasNoSignedWrap() ||
       scalars.getSignedRange(scalars.getSCEV(whole)).getMinSignedBits() <= value->getType()->getIntegerBitWidth()))
    value = whole;
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(scalars.getSCEV(value));
  if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
      !recurrence->getStepRecurrence(scalars)->isOne() ||
      !(recurrence->hasNoSignedWrap() || (isAlwaysAsked && isExact(value))))
    return false;
  if (ICmpInst::isUnsigned(predicate) && condition.hasSameSign())
    predicate = ICmpInst::getSignedPredicate(predicate);
  if (ICmpInst::isUnsigned(predicate)) {
    bool isBelow = predicate == ICmpInst::ICMP_ULT || predicate == ICmpInst::ICMP_ULE;
    if (!isBelow || !scalars.isKnownNonNegative(scalars.getSCEV(limit)))
      return false;
    bounds.push_back({&condition, holds, ICmpInst::ICMP_SGE, value, nullptr});
    predicate = ICmpInst::getSignedPredicate(predicate);
  }
  bool isBound = ICmpInst::isSigned(predicate) || predicate == ICmpInst::ICMP_EQ;
  if (isBound)
    bounds.push_back({&condition, holds, predicate, value, limit});
  return isBound;
}

/// False if there is more to `condition` than bounds.
bool LoopBounder::addBounds(Value *condition, bool holds) {
  Value *left, *right;
  bool isPair = holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                      : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (isPair) {
    bool isAll = addBounds(left, holds);
    // What a selection does not choose may be anything.
    SaveAndRestore restore(isAlwaysAsked, isAlwaysAsked && !isa<SelectInst>(condition));
    return addBounds(right, holds) && isAll;
  }
  if (match(condition, m_Not(m_Value(left))))
    return addBounds(left, !holds);
  if (loop.isLoopInvariant(condition)) {
    if (!isa<Constant>(condition))
      conditions.push_back({condition, holds});
    return true;
  }
  auto *compare = dyn_cast<ICmpInst>(condition);
  return compare && addBound(*compare, holds);
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
    isAlwaysAsked = block == head;
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

/// True if the loop ends in its latch only.
bool LoopBounder::isPlain() {
  return before && latch && exit && loop.getExitingBlock() == latch && exit->getSinglePredecessor() == latch &&
         isa<BranchInst>(latch->getTerminator()) && count.isKnown();
}

bool LoopBounder::canBound() {
  if (!isPlain() || !canMove())
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
  replaceBounds();
  scalars.forgetTopmostLoop(&loop);
}

/// In the loop, all bounds hold now.
void LoopBounder::replaceBounds() {
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
}

//===-- Splitting ------------------------------------------------------------------------------------------------===//

/// Of a loop that is split.
constexpr unsigned mostInstructions = 100;

/// True if a side of `branch` needs a mask in vectors.
bool LoopBounder::hasAccesses(BranchInst &branch) {
  return any_of(branch.successors(), [&](BasicBlock *side) {
    return side->getSinglePredecessor() && any_of(*side, [](Instruction &each) { return each.mayReadOrWriteMemory(); });
  });
}

bool LoopBounder::findSplit() {
  for (BasicBlock *block : loop.blocks()) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (block == latch || !branch || !branch->isConditional() || loop.isLoopInvariant(branch->getCondition()) ||
        !hasAccesses(*branch))
      continue;
    isAlwaysAsked = tree.dominates(block, latch);
    for (bool holds : {true, false}) {
      bounds.clear();
      conditions.clear();
      if (!addBounds(branch->getCondition(), holds) || bounds.empty())
        continue;
      splitAt = branch;
      splitHolds = holds;
      return true;
    }
  }
  return false;
}

bool LoopBounder::canSplit() {
  unsigned instructions = 0;
  if (!loop.isInnermost() || !isPlain())
    return false;
  for (BasicBlock *block : loop.blocks())
    instructions += block->size();
  for (PHINode &phi : head->phis()) {
    const SCEVAddRecExpr *induction = inductionOf(phi);
    const SCEV *step = induction ? induction->getStepRecurrence(scalars) : nullptr;
    if (!step || !expander.isSafeToExpand(step))
      return false;
    if (step->isOne())
      counter = &phi;
  }
  for (PHINode &phi : exit->phis())
    if (!loop.isLoopInvariant(phi.getIncomingValueForBlock(latch)))
      return false;
  return counter && instructions <= mostInstructions && findSplit();
}

/// The number that `phi` has in `round`, if it begins with `first`.
Value *LoopBounder::atRound(IRBuilder<> &builder, PHINode &phi, Value *first, Value *round, Value *step) {
  return builder.CreateAdd(first, builder.CreateMul(builder.CreateTrunc(round, phi.getType()), step));
}

/// Lets a loop end, with the branch `end` to `outside`, before its counter gets to `last`.
void LoopBounder::endAt(BranchInst &end, Value *next, Value *last, BasicBlock *outside) {
  unsigned side = end.getSuccessor(0) == exit ? 0 : 1;
  IRBuilder<> builder(&end);
  end.setCondition(builder.CreateICmp(side ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, next, last));
  end.setSuccessor(side, outside);
}

/// The loop becomes that of the rounds in which all bounds hold; a copy of it is for those before and behind.
void LoopBounder::split() {
  Function *function = head->getParent();
  LLVMContext &context = function->getContext();
  auto newBlock = [&](const Twine &name) { return BasicBlock::Create(context, name, function, exit); };
  IRBuilder<> builder(before->getTerminator());
  Value *all = count.emit();
  auto [first, end] = rounds(builder);
  Value *isIn = builder.CreateICmpSLT(first, end);
  for (auto [condition, holds] : conditions) {
    Value *known = builder.CreateFreeze(condition);
    isIn = builder.CreateAnd(isIn, holds ? known : builder.CreateNot(known));
  }
  first = builder.CreateSelect(isIn, first, all);
  end = builder.CreateSelect(isIn, end, all);
  DenseMap<PHINode *, std::pair<Value *, Value *>> inductions; // where they begin, and steps
  for (PHINode &phi : head->phis())
    inductions[&phi] = {phi.getIncomingValueForBlock(before), expand(inductionOf(phi)->getStepRecurrence(scalars))};
  auto placeAt = [&](PHINode &phi, Value *round) {
    auto [start, step] = inductions[&phi];
    return atRound(builder, phi, start, round, step);
  };

  ValueToValueMapTy map;
  SmallVector<BasicBlock *> copies;
  for (BasicBlock *block : loop.blocks()) {
    copies.push_back(CloneBasicBlock(block, map, ".outside", function));
    map[block] = copies.back();
  }
  remapInstructionsInBlocks(copies, map);
  cast<BranchInst>(map[splitAt])->setCondition(ConstantInt::getBool(context, !splitHolds));
  auto *copiedLatch = cast<BasicBlock>(map[latch]);
  if (MDNode *id = latch->getTerminator()->getMetadata(LLVMContext::MD_loop)) {
    SmallVector<Metadata *> options(id->operands());
    MDNode *copied = MDNode::getDistinct(context, options);
    copied->replaceOperandWith(0, copied);
    copiedLatch->getTerminator()->setMetadata(LLVMContext::MD_loop, copied);
  }

  // Inside.
  auto *enter = newBlock("inside"), *outside = newBlock("outside"), *pieces = newBlock("piece");
  BranchInst::Create(pieces, outside);
  ReplaceInstWithInst(before->getTerminator(), BranchInst::Create(enter, outside, isIn));
  builder.SetInsertPoint(enter);
  Value *counterEnd = placeAt(*counter, end);
  for (PHINode &phi : head->phis()) {
    Value *start = placeAt(phi, first);
    phi.setIncomingValueForBlock(before, start);
    phi.replaceIncomingBlockWith(before, enter);
  }
  builder.CreateBr(head);
  endAt(*cast<BranchInst>(latch->getTerminator()), counter->getIncomingValueForBlock(latch), counterEnd, outside);
  replaceBounds();

  // Before and behind.
  auto *piece = newBlock("rounds"), *next = newBlock("next");
  builder.SetInsertPoint(pieces);
  PHINode *from = builder.CreatePHI(builder.getInt64Ty(), 2), *to = builder.CreatePHI(builder.getInt64Ty(), 2),
          *isLast = builder.CreatePHI(builder.getInt1Ty(), 2);
  for (auto [phi, value, other] : {std::tuple<PHINode *, Value *, Value *>{from, builder.getInt64(0), end},
                                   {to, first, all},
                                   {isLast, builder.getFalse(), builder.getTrue()}}) {
    phi->addIncoming(value, outside);
    phi->addIncoming(other, next);
  }
  builder.CreateCondBr(builder.CreateICmpSLT(from, to), piece, next);
  builder.SetInsertPoint(piece);
  auto *copiedCounter = cast<PHINode>(map[counter]);
  counterEnd = placeAt(*counter, to);
  for (PHINode &phi : head->phis()) {
    auto *copy = cast<PHINode>(map[&phi]);
    Value *start = placeAt(phi, from);
    copy->setIncomingValueForBlock(before, start);
    copy->replaceIncomingBlockWith(before, piece);
  }
  builder.CreateBr(cast<BasicBlock>(map[head]));
  endAt(*cast<BranchInst>(copiedLatch->getTerminator()), copiedCounter->getIncomingValueForBlock(copiedLatch),
        counterEnd, next);
  builder.SetInsertPoint(next);
  builder.CreateCondBr(isLast, exit, pieces);
  exit->replacePhiUsesWith(latch, next);
}

bool isLoopOfThreads(const Loop &loop) { return findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses"); }

} // namespace

PreservedAnalyses cufort::codegen::BoundLoopsOfThreads::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.hasFnAttribute(compileBrieflyAttribute))
    return PreservedAnalyses::all();
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

/// Splits one loop of `function`.
static bool splitOne(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  ScalarEvolution &scalars = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !isLoopOfThreads(*loop))
      continue;
    simplifyLoop(loop, &tree, &loops, &scalars, &analyses.getResult<AssumptionAnalysis>(function), nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSA(*loop, tree, &loops, &scalars);
    if (LoopBounder splitter(*loop, loops, tree, scalars); splitter.canSplit()) {
      splitter.split();
      return true;
    }
  }
  return false;
}

PreservedAnalyses cufort::codegen::SplitLoopsOfThreads::run(Function &function, FunctionAnalysisManager &analyses) {
  constexpr unsigned mostSplits = 8;
  unsigned splits = 0;
  if (function.hasFnAttribute(rarelyRunAttribute))
    return PreservedAnalyses::all();
  while (splits < mostSplits && splitOne(function, analyses)) {
    analyses.invalidate(function, PreservedAnalyses::none());
    ++splits;
  }
  return PreservedAnalyses::none();
}
