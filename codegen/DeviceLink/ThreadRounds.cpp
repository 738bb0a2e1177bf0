// In:  head:  i = phi(first, next), ...             Out: before: extremes = least and greatest first
//             if i <= last: body, next = i + step        head:   k = phi(0, k + 1), others = phi(..., kept)
//                                                                state = who has first + k * step <= last
//                                                                all or nobody: body or exit
//                                                                some: if i <= last: body
//                                                        latch:  kept = what body has computed, or as it was
//
// Without a difference between the threads in how many rounds they need, state is all or nobody. A number of rounds
// that a thread has computed first, as Fortran does, is not needed: distance / step > k says -distance + k * step <=
// -step.

#include "codegen/DeviceLink/ThreadRounds.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// A constant step from which on threads of a block seldom need different numbers of rounds: loops in strides of a
/// block or a warp. With shorter steps, most rounds may be of some threads only.
constexpr uint64_t longStep = 32;
/// Of a loop: what fits into the body of a vector loop, and what threads can keep in memory from round to round.
constexpr unsigned mostInstructions = 80, mostKept = 4;
/// Loops of so few rounds, if that is known, LLVM unrolls inside each thread.
constexpr uint64_t fewRounds = 32;

/// What keeps a thread in the loop: first + round * step is not beyond `last`. All but `first` are the same for all
/// threads; all are of 64 bits.
struct Condition {
  Value *first, *step, *last;
  std::optional<ICmpInst::Predicate> predicate; ///< none: the sign of `step` says whether it is sle or sge
};

/// An integer that each round increases by the same amount.
struct Induction {
  PHINode *phi;
  Value *first, *step;
  bool isExact; ///< it does not overflow
};

class RoundMaker {
public:
  RoundMaker(Loop &loop, const Uniformity &uniformity) : loop(loop), uniformity(uniformity) {}

  bool canAlign();
  /// True if threads begin at different places and go on in long steps.
  bool isInStrides() const { return condition.has_value(); }
  void align();

private:
  bool isSmall();
  bool isSameInAllRounds(Value *value) const { return loop.isLoopInvariant(value) && uniformity.isUniform(value); }
  std::optional<Induction> inductionOf(PHINode &phi);
  bool findCondition();
  bool isRunFewTimes();
  std::optional<Condition> conditionOf(const Induction &induction, ICmpInst::Predicate predicate, Value *end);
  std::optional<Condition> conditionOfTrips(const Induction &induction, ICmpInst::Predicate predicate, Value *end);
  Value *isIn(IRBuilder<> &builder, Value *first);
  Value *wide(IRBuilder<> &builder, Value *value) { return builder.CreateSExt(value, builder.getInt64Ty()); }
  Value *at(IRBuilder<> &builder, Value *first, Value *step) {
    return builder.CreateAdd(first, builder.CreateMul(round, step));
  }
  Value *stateOfDifferent(IRBuilder<> &builder);
  void replaceInductions(IRBuilder<> &builder);
  void branchByState(Value *state);
  void joinRounds(BasicBlock *skip);

  Loop &loop;
  const Uniformity &uniformity;
  BasicBlock *head = nullptr, *latch = nullptr, *before = nullptr, *exit = nullptr;
  BasicBlock *rest = nullptr; ///< of the head, behind the beginning of a round
  SmallVector<Induction> inductions;
  bool hasAtomics = false;            ///< then nothing is gained but neighbouring accesses
  std::optional<Condition> condition; ///< none if it is the same for all threads
  PHINode *round = nullptr;
};

bool RoundMaker::isSmall() {
  unsigned count = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      if (++count > mostInstructions || isa<AllocaInst>(instruction))
        return false;
      auto *load = dyn_cast<LoadInst>(&instruction);
      auto *store = dyn_cast<StoreInst>(&instruction);
      hasAtomics |= isa<AtomicRMWInst>(instruction);
      bool isOrdinary = load    ? load->isSimple()
                        : store ? store->isSimple()
                                : isa<AtomicRMWInst>(instruction) || !instruction.mayReadOrWriteMemory();
      if (!isOrdinary || (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction)))
        return false;
    }
  return true;
}

std::optional<Induction> RoundMaker::inductionOf(PHINode &phi) {
  Value *step = nullptr, *next = phi.getIncomingValueForBlock(latch), *first = phi.getIncomingValueForBlock(before);
  if (!phi.getType()->isIntegerTy() || phi.getType()->getIntegerBitWidth() > 64 ||
      !match(next, m_c_Add(m_Specific(&phi), m_Value(step))) || !isSameInAllRounds(step))
    return std::nullopt;
  return Induction{&phi, first, step, cast<BinaryOperator>(next)->hasNoSignedWrap()};
}

/// Sign extensions outside the loop, in the block before it.
std::optional<Condition> RoundMaker::conditionOf(const Induction &induction, ICmpInst::Predicate predicate,
                                                 Value *end) {
  if (auto trips = conditionOfTrips(induction, predicate, end))
    return trips;
  IRBuilder<> builder(before->getTerminator());
  return Condition{wide(builder, induction.first), wide(builder, induction.step), wide(builder, end), predicate};
}

/// Where `induction` counts down from distance / step to 0.
std::optional<Condition> RoundMaker::conditionOfTrips(const Induction &induction, ICmpInst::Predicate predicate,
                                                      Value *end) {
  Value *distance, *step;
  if (predicate != ICmpInst::ICMP_SGT || !match(end, m_Zero()) || !match(induction.step, m_AllOnes()) ||
      !match(induction.first, m_SDiv(m_Value(distance), m_Value(step))) || !step->getType()->isIntegerTy(64) ||
      !uniformity.isUniform(step))
    return std::nullopt;
  IRBuilder<> builder(before->getTerminator());
  return Condition{builder.CreateNeg(distance), step, builder.CreateNeg(step), std::nullopt};
}

/// Finds out when a thread leaves the loop. False if that is neither the same for all nor a comparison of an induction.
bool RoundMaker::findCondition() {
  auto *branch = cast<BranchInst>(head->getTerminator());
  if (uniformity.isUniform(branch->getCondition()))
    return true;
  auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare || !compare->isRelational() || !compare->isSigned())
    return false;
  for (unsigned side : {0, 1})
    for (Induction &induction : inductions) {
      Value *end = compare->getOperand(1 - side);
      if (compare->getOperand(side) != induction.phi || !isSameInAllRounds(end))
        continue;
      ICmpInst::Predicate goesOn = side ? compare->getSwappedPredicate() : compare->getPredicate();
      if (branch->getSuccessor(0) == exit)
        goesOn = ICmpInst::getInversePredicate(goesOn);
      condition = conditionOf(induction, goesOn, end);
      auto *step = dyn_cast<ConstantInt>(condition->step);
      return !step || step->getValue().abs().uge(longStep);
    }
  return false;
}

/// Whether a thread that began with `first` is in the round.
Value *RoundMaker::isIn(IRBuilder<> &builder, Value *first) {
  Value *number = at(builder, first, condition->step), *last = condition->last;
  if (condition->predicate)
    return builder.CreateICmp(*condition->predicate, number, last);
  return builder.CreateSelect(builder.CreateICmpSGT(condition->step, builder.getInt64(0)),
                              builder.CreateICmpSLE(number, last), builder.CreateICmpSGE(number, last));
}

/// True if the loop is known to have a few rounds.
bool RoundMaker::isRunFewTimes() {
  const APInt *first, *step, *end;
  auto *compare = dyn_cast<ICmpInst>(cast<BranchInst>(head->getTerminator())->getCondition());
  for (Induction &induction : inductions)
    if (compare && compare->getOperand(0) == induction.phi && match(induction.first, m_APInt(first)) &&
        match(induction.step, m_APInt(step)) && match(compare->getOperand(1), m_APInt(end)) && !step->isZero())
      return (*end - *first).sdiv(*step).getActiveBits() < 32 && (*end - *first).sdiv(*step).ule(fewRounds);
  return false;
}

bool RoundMaker::canAlign() {
  head = loop.getHeader();
  latch = loop.getLoopLatch();
  before = loop.getLoopPredecessor();
  exit = loop.getExitBlock();
  auto *branch = dyn_cast<BranchInst>(head->getTerminator());
  if (!loop.isInnermost() || !latch || !before || !exit || loop.getExitingBlock() != head || latch == head || !branch ||
      !isSmall() || !before->getSingleSuccessor())
    return false;
  BasicBlock *body = branch->getSuccessor(0) == exit ? branch->getSuccessor(1) : branch->getSuccessor(0);
  bool comeTogether = none_of(uniformity.partings(), [&](const Uniformity::Parting &parting) {
    return parting.branch != head && parting.ways.contains(before);
  });
  if (!comeTogether || body->getSinglePredecessor() != head)
    return false;
  unsigned kept = 0;
  for (PHINode &phi : head->phis()) {
    if (auto induction = inductionOf(phi))
      inductions.push_back(*induction);
    else if (!uniformity.isUniform(&phi))
      ++kept;
  }
  if (kept > (hasAtomics ? 0 : mostKept) || isRunFewTimes() || !findCondition())
    return false;
  // The last value of what a thread has counted is not that of the last round of all.
  return !condition || all_of(inductions, [&](Induction &induction) {
    return all_of(induction.phi->users(), [&](User *user) { return loop.contains(cast<Instruction>(user)); });
  });
}

Value *RoundMaker::stateOfDifferent(IRBuilder<> &builder) {
  IRBuilder<> outside(before->getTerminator());
  Type *i64 = outside.getInt64Ty();
  FunctionCallee extremes = head->getModule()->getOrInsertFunction(extremesFunction, StructType::get(i64, i64), i64);
  Value *both = outside.CreateCall(extremes, condition->first);
  Value *ends[2] = {outside.CreateExtractValue(both, 0), outside.CreateExtractValue(both, 1)};
  // What holds for the least and the greatest holds for all between them.
  for (Value *&end : ends)
    end = isIn(builder, end);
  Value *some = builder.CreateSelect(builder.CreateOr(ends[0], ends[1]), builder.getInt32(RoundOfSome),
                                     builder.getInt32(RoundOfNobody));
  return builder.CreateSelect(builder.CreateAnd(ends[0], ends[1]), builder.getInt32(RoundOfAll), some);
}

/// What differs between threads is computed from the number of the round: LLVM sees that neighbours have neighbouring
/// numbers.
void RoundMaker::replaceInductions(IRBuilder<> &builder) {
  for (Induction &induction : inductions) {
    if (uniformity.isUniform(induction.phi))
      continue;
    Value *number = at(builder, wide(builder, induction.first), wide(builder, induction.step));
    Type *type = induction.phi->getType();
    Value *same = type->isIntegerTy(64) ? number : builder.CreateTrunc(number, type, "", false, induction.isExact);
    induction.phi->replaceAllUsesWith(same);
    induction.phi->eraseFromParent();
  }
}

/// The branch at the end of the head: all threads go on, some do, or nobody does.
void RoundMaker::branchByState(Value *state) {
  auto *branch = cast<BranchInst>(rest->getTerminator());
  unsigned exitSide = branch->getSuccessor(0) == exit ? 0 : 1;
  BasicBlock *body = branch->getSuccessor(1 - exitSide);
  LLVMContext &context = head->getContext();
  Function *function = head->getParent();
  BasicBlock *skip = nullptr;
  IRBuilder<> builder(branch);
  SwitchInst *choice = builder.CreateSwitch(state, exit, 2);
  choice->addCase(builder.getInt32(RoundOfAll), body);
  if (condition) {
    auto *some = BasicBlock::Create(context, "some", function, body);
    skip = BasicBlock::Create(context, "skip", function, body);
    choice->addCase(builder.getInt32(RoundOfSome), some);
    builder.SetInsertPoint(some);
    builder.CreateCondBr(isIn(builder, condition->first), body, skip);
  }
  branch->eraseFromParent();
  joinRounds(skip);
}

/// Whoever is not in a round keeps what it has.
void RoundMaker::joinRounds(BasicBlock *skip) {
  auto *join = BasicBlock::Create(head->getContext(), "join", head->getParent());
  IRBuilder<> builder(join);
  for (PHINode &phi : head->phis()) {
    int index = phi.getBasicBlockIndex(latch);
    Value *next = phi.getIncomingValue(index);
    if (&phi == round) {
      next = builder.CreateAdd(round, builder.getInt64(1));
    } else if (skip) {
      PHINode *either = PHINode::Create(phi.getType(), 2, "", join->begin());
      either->addIncoming(next, latch);
      either->addIncoming(&phi, skip);
      next = either;
    }
    phi.setIncomingValue(index, next);
    phi.setIncomingBlock(index, join);
  }
  builder.CreateBr(head);
  latch->getTerminator()->replaceSuccessorWith(head, join);
  if (skip)
    BranchInst::Create(join, skip);
}

void RoundMaker::align() {
  auto *branch = cast<BranchInst>(head->getTerminator());
  FoldSingleEntryPHINodes(branch->getSuccessor(branch->getSuccessor(0) == exit));
  round = PHINode::Create(Type::getInt64Ty(head->getContext()), 2, "round", head->begin());
  round->addIncoming(ConstantInt::get(round->getType(), 0), before);
  round->addIncoming(round, latch);
  // What is the same for all is there before the round begins; what differs is not needed then.
  Instruction *split = condition ? &*head->getFirstNonPHIIt() : head->getTerminator();
  rest = SplitBlock(head, split);
  IRBuilder<> builder(head->getTerminator());
  Value *state;
  if (condition) {
    state = stateOfDifferent(builder);
  } else {
    bool exitsIfTrue = branch->getSuccessor(0) == exit;
    state = builder.CreateSelect(branch->getCondition(), builder.getInt32(exitsIfTrue ? RoundOfNobody : RoundOfAll),
                                 builder.getInt32(exitsIfTrue ? RoundOfAll : RoundOfNobody));
  }
  Type *i32 = builder.getInt32Ty();
  state = builder.CreateCall(head->getModule()->getOrInsertFunction(roundFunction, i32, i32), state);
  builder.SetInsertPoint(rest, rest->getFirstInsertionPt());
  replaceInductions(builder);
  branchByState(state);
}

} // namespace

bool cufort::codegen::alignRounds(Function &function, function_ref<Uniformity::Origin(const Value &)> originOf,
                                  bool onlyStrides) {
  Uniformity uniformity(function, originOf);
  DominatorTree tree(function);
  LoopInfo loops(tree);
  SmallVector<std::unique_ptr<RoundMaker>> makers;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (auto maker = std::make_unique<RoundMaker>(*loop, uniformity);
        maker->canAlign() && (!onlyStrides || maker->isInStrides()))
      makers.push_back(std::move(maker));
  if (makers.empty())
    return false;
  for (auto &maker : makers)
    maker->align();
  // So that no thread keeps what nobody needs any more.
  SmallVector<WeakTrackingVH> unused;
  for (Instruction &instruction : instructions(function))
    unused.push_back(&instruction);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  return true;
}
