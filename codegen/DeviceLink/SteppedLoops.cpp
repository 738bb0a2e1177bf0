// In:  rounds = (last - first) / step + 1       Out: rest = last - first
//      do                                            while rest >= 7 * step: 8 rounds, rest -= 8 * step
//        a round                                     if rest >= 3 * step: 4 rounds, rest -= 4 * step
//        rounds -= 1                                 if rest >= 0: do
//      while rounds /= 0                                             a round
//                                                                  while rest >= step, with rest -= step
//
// A thread often has just a few rounds of such a loop, and waits for the division before it may load anything.

#include "codegen/DeviceLink/SteppedLoops.h"
#include "codegen/DeviceLink/RoundCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

constexpr unsigned mostCopies = 8, fewCopies = 4;
/// Elements that the threads of a block share in a few rounds.
constexpr unsigned fewForBlock = 1024;
/// What the copies of a round may cost together: as much as LLVM allows, and more in loops that only calculate.
constexpr unsigned largestUnrolled = 75, largestCalculation = 256;

/// A loop that repeats itself `left / step` times, rounded down.
struct SteppedLoop {
  Loop *loop;
  BranchInst *latch;
  Value *left, *step;
};

/// The quotient that is how often `loop` is repeated, or null.
const SCEVUDivExpr *quotientOf(const Loop &loop, ScalarEvolution &evolution) {
  const SCEV *again = evolution.getBackedgeTakenCount(&loop);
  if (auto *wide = dyn_cast<SCEVZeroExtendExpr>(again))
    again = wide->getOperand();
  // A quotient of 64 bits comes with the case that there are 2**64 rounds.
  if (auto *sum = dyn_cast<SCEVAddExpr>(again))
    for (const SCEV *quotient : sum->operands()) {
      const SCEV *one = evolution.getOne(quotient->getType());
      const SCEV *rounds = evolution.getAddExpr(one, quotient), *first = evolution.getUMinExpr(one, rounds);
      if (isa<SCEVUDivExpr>(quotient) && evolution.getMinusSCEV(rounds, first) == again)
        return cast<SCEVUDivExpr>(quotient);
    }
  return dyn_cast<SCEVUDivExpr>(again);
}

/// The quotient plus one that `counter` begins with, where it counts down to the last round of the loop that `latch`
/// closes, or null. The number may be zero if the loop is jumped over.
Value *roundsIn(PHINode &counter, const BasicBlock &before, const BranchInst &latch) {
  Value *rounds = counter.getIncomingValueForBlock(&before);
  Value *next = counter.getIncomingValueForBlock(latch.getParent());
  bool goesOnIfTrue = latch.getSuccessor(0) == counter.getParent();
  auto other = goesOnIfTrue ? CmpInst::ICMP_UGT : CmpInst::ICMP_ULT;
  auto same = goesOnIfTrue ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  Value *condition = latch.getCondition();
  uint64_t limit = goesOnIfTrue ? 1 : 2;
  bool counts = match(next, m_Add(m_Specific(&counter), m_AllOnes())) &&
                (match(condition, m_SpecificICmp(other, m_Specific(&counter), m_SpecificInt(limit))) ||
                 match(condition, m_SpecificICmp(same, m_Specific(next), m_Zero())));
  if (!counts)
    return nullptr;
  Value *number, *whole;
  match(rounds, m_ZExtOrSelf(m_Value(number)));
  bool isChosen = match(number, m_Select(m_Value(), m_Value(whole), m_Zero())) ||
                  match(number, m_Select(m_Value(), m_Zero(), m_Value(whole)));
  return isChosen ? whole : number;
}

/// Where `loop` counts rounds that are a quotient, whose number is not known to be one where the loop begins.
std::optional<SteppedLoop> asCounted(Loop &loop, BranchInst &latch) {
  Value *quotient, *left, *step;
  const APInt *bits;
  for (PHINode &counter : loop.getHeader()->phis()) {
    Value *rounds = roundsIn(counter, *loop.getLoopPreheader(), latch);
    if (!rounds || !match(rounds, m_Add(m_ZExtOrSelf(m_Value(quotient)), m_One())))
      continue;
    if (match(quotient, m_UDiv(m_Value(left), m_Value(step))))
      return SteppedLoop{&loop, &latch, left, step};
    if (match(quotient, m_LShr(m_Value(left), m_APInt(bits))))
      return SteppedLoop{
          &loop, &latch, left,
          ConstantInt::get(left->getType(), APInt::getOneBitSet(bits->getBitWidth(), bits->getZExtValue()))};
  }
  return std::nullopt;
}

/// True if it is not worth copying the round of `loop`.
bool hasFewRounds(const Loop &loop, ScalarEvolution &evolution) {
  unsigned rounds = evolution.getSmallConstantMaxTripCount(&loop);
  return rounds && rounds < fewCopies;
}

/// True if the loop is over so few elements that a step of some threads leaves few rounds.
bool isShortForBlock(const SteppedLoop &stepped, ScalarEvolution &evolution) {
  return !isa<Constant>(stepped.step) && evolution.getSignedRangeMax(evolution.getSCEV(stepped.left)).sle(fewForBlock);
}

/// `isCopied`: the loop is to be unrolled.
std::optional<SteppedLoop> asStepped(Loop &loop, ScalarEvolution &evolution, bool isCopied) {
  BasicBlock *last = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  auto *latch = last ? dyn_cast<BranchInst>(last->getTerminator()) : nullptr;
  if (!before || loop.getExitingBlock() != last || !latch || !latch->isConditional() || !loop.hasDedicatedExits())
    return std::nullopt;
  const SCEVUDivExpr *quotient = quotientOf(loop, evolution);
  if (!quotient)
    return asCounted(loop, *latch);
  const SCEV *left = quotient->getLHS(), *step = quotient->getRHS();
  // A quotient by a constant is cheap, and ptxas may unroll a loop whose rounds are counted.
  if (isa<SCEVConstant>(step) && !isCopied && !hasFewRounds(loop, evolution))
    return std::nullopt;
  Type *narrow = Type::getInt32Ty(last->getContext());
  auto isNarrow = [&](const SCEV *number) { return evolution.getUnsignedRangeMax(number).isIntN(32); };
  if (isNarrow(left) && isNarrow(step)) {
    left = evolution.getTruncateOrNoop(left, narrow);
    step = evolution.getTruncateOrNoop(step, narrow);
  }
  SCEVExpander expander(evolution, "step");
  Instruction *end = before->getTerminator();
  if (!expander.isSafeToExpandAt(left, end) || !expander.isSafeToExpandAt(step, end))
    return std::nullopt;
  return SteppedLoop{&loop, latch, expander.expandCodeFor(left, nullptr, end),
                     expander.expandCodeFor(step, nullptr, end)};
}

/// The instructions of `loop` that only say where elements are which move by the same distance in every round. They are
/// gone where strides are known, which is in the version of a kernel that usually runs.
SmallPtrSet<const Instruction *, 16> placesIn(const Loop &loop, ScalarEvolution &evolution) {
  SmallPtrSet<const Instruction *, 16> places;
  auto isAccessOf = [](const User *user, const Instruction &place) {
    auto *store = dyn_cast<StoreInst>(user);
    return getLoadStorePointerOperand(user) == &place && !(store && store->getValueOperand() == &place);
  };
  auto isPlace = [&](const Instruction &each) {
    if (each.mayReadOrWriteMemory() || isa<PHINode>(each) || each.use_empty())
      return false;
    const SCEV *place = each.getType()->isPointerTy() ? evolution.getSCEV(const_cast<Instruction *>(&each)) : nullptr;
    auto *moving = dyn_cast_or_null<SCEVAddRecExpr>(place);
    bool movesAlike = moving && moving->getLoop() == &loop && moving->isAffine();
    return all_of(each.users(), [&](const User *user) {
      return places.contains(dyn_cast<Instruction>(user)) || (movesAlike && isAccessOf(user, each));
    });
  };
  for (const BasicBlock *block : reverse(loop.blocks()))
    for (const Instruction &each : reverse(*block))
      if (isPlace(each))
        places.insert(&each);
  return places;
}

/// How many rounds `loop` may do at a time.
unsigned copiesOf(const Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &target) {
  if (!loop.isInnermost() || hasUnrollTransformation(&loop) != TM_Unspecified || hasFewRounds(loop, evolution))
    return 1;
  auto places = placesIn(loop, evolution);
  std::optional<unsigned> cost = costOfRound(loop, target, /*mayMeet=*/false, /*mayCall=*/false,
                                             [&](const Instruction &each) { return places.contains(&each); });
  bool accessesMemory = any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) { return instruction.mayReadOrWriteMemory(); });
  });
  for (unsigned copies = mostCopies; copies > 1 && cost; copies /= 2)
    if (*cost * copies <= (accessesMemory || copies > fewCopies ? largestUnrolled : largestCalculation))
      return copies;
  return 1;
}

/// Keeps LLVM from unrolling the loop that `latch` closes any further, and ptxas if it `isShort`.
void leaveAsItIs(BranchInst &latch, bool isShort) {
  LLVMContext &context = latch.getContext();
  StringRef what = isShort ? "llvm.loop.unroll.disable" : "llvm.loop.unroll.runtime.disable";
  MDNode *property = MDNode::get(context, MDString::get(context, what));
  MDNode *note = MDNode::getDistinct(context, {nullptr, property});
  note->replaceOperandWith(0, note);
  latch.setMetadata(LLVMContext::MD_loop, note);
}

/// Rewrites one loop.
class Rewriting {
public:
  explicit Rewriting(const SteppedLoop &stepped)
      : loop(*stepped.loop), latch(stepped.latch), header(loop.getHeader()), before(loop.getLoopPreheader()),
        exit(loop.getExitBlock()), left(stepped.left), step(stepped.step) {}

  void endWhereLessThanAStepIsLeft();
  void doManyAtATime(unsigned most);

private:
  using Values = SmallDenseMap<Value *, Value *>;

  void doAtATime(unsigned count, Value *isSmall, bool repeats);
  BasicBlock *copyRound(BasicBlock *from, Values &values);
  static Value *valueIn(const Values &values, Value *value) {
    auto twin = values.find(value);
    return twin == values.end() ? value : twin->second;
  }

  Loop &loop;
  BranchInst *latch;
  BasicBlock *header, *before, *exit;
  Value *left, *step;
  PHINode *rest = nullptr;
};

} // namespace

void Rewriting::endWhereLessThanAStepIsLeft() {
  IRBuilder<> builder(&header->front());
  rest = builder.CreatePHI(left->getType(), 2, "rest");
  leaveAsItIs(*latch, /*isShort=*/false);
  builder.SetInsertPoint(latch);
  Value *isOver = builder.CreateICmpULT(rest, step);
  rest->addIncoming(left, before);
  rest->addIncoming(builder.CreateSub(rest, step, "rest.next"), latch->getParent());
  if (latch->getSuccessor(0) == header)
    latch->swapSuccessors();
  Value *condition = latch->getCondition();
  latch->setCondition(isOver);
  RecursivelyDeleteTriviallyDeadInstructions(condition);
  for (PHINode &phi : make_early_inc_range(header->phis()))
    RecursivelyDeleteDeadPHINode(&phi);
}

/// Copies a round to behind the end of `from`, and returns the block that it ends in, which has no terminator yet.
/// `values` has what the variables of the loop are before the round; then it has what all values of the round are.
BasicBlock *Rewriting::copyRound(BasicBlock *from, Values &values) {
  ValueToValueMapTy twins;
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock *block : loop.blocks()) {
    BasicBlock *twin = CloneBasicBlock(block, twins, ".many", header->getParent());
    twins[block] = twin;
    blocks.push_back(twin);
  }
  for (PHINode &phi : header->phis()) {
    cast<PHINode>(&*twins[&phi])->eraseFromParent();
    twins[&phi] = values[&phi];
  }
  remapInstructionsInBlocks(blocks, twins);
  // What an inlined procedure says of its arguments holds for one call, not from round to round.
  SmallVector<MDNode *> scopes;
  identifyNoAliasScopesToClone(loop.getBlocks(), scopes);
  cloneAndAdaptNoAliasScopes(scopes, blocks, header->getContext(), "round");
  BranchInst::Create(cast<BasicBlock>(&*twins[header]), from);
  BasicBlock *end = cast<BasicBlock>(&*twins[latch->getParent()]);
  Value *condition = cast<BranchInst>(end->getTerminator())->getCondition();
  end->getTerminator()->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(condition);
  values.clear();
  for (const auto &[value, twin] : twins)
    values[const_cast<Value *>(value)] = twin;
  return end;
}

/// Does `count` rounds at a time if so many are left, and `isSmall`: products of the step do not overflow.
void Rewriting::doAtATime(unsigned count, Value *isSmall, bool repeats) {
  auto create = [&](const Twine &name) {
    return BasicBlock::Create(header->getContext(), name, header->getParent(), header);
  };
  BasicBlock *many = create("many"), *done = create("many.done"), *few = create("few");
  IRBuilder<> inMany(many), inFew(few);
  Values values;
  for (PHINode &phi : header->phis())
    values[&phi] = inMany.CreatePHI(phi.getType(), 2);
  Values entering = values;
  BasicBlock *end = many;
  for (unsigned round = 0; round < count; ++round) {
    Values next;
    for (PHINode &phi : header->phis())
      next[&phi] = round ? valueIn(values, phi.getIncomingValueForBlock(latch->getParent())) : values[&phi];
    values = std::move(next);
    end = copyRound(end, values);
  }
  auto atEnd = [&](const PHINode &phi) { return valueIn(values, phi.getIncomingValueForBlock(latch->getParent())); };

  // How the blocks go on.
  Instruction *skip = before->getTerminator();
  IRBuilder<> inBefore(skip), inDone(done), atEndOfMany(end);
  Value *all = inBefore.CreateMul(step, ConstantInt::get(step->getType(), count - 1));
  Value *start = rest->getIncomingValueForBlock(before), *left = atEnd(*rest);
  inBefore.CreateCondBr(inBefore.CreateLogicalAnd(isSmall, inBefore.CreateICmpUGE(start, all)), many, few);
  skip->eraseFromParent();
  if (repeats)
    leaveAsItIs(*atEndOfMany.CreateCondBr(atEndOfMany.CreateICmpSGE(left, all), many, done), /*isShort=*/false);
  else
    atEndOfMany.CreateBr(done);
  inDone.CreateCondBr(inDone.CreateICmpSLT(left, ConstantInt::get(left->getType(), 0)), exit, few);

  // What the variables are there.
  for (PHINode &phi : header->phis()) {
    Value *initial = phi.getIncomingValueForBlock(before);
    auto *inCopies = cast<PHINode>(entering[&phi]);
    inCopies->addIncoming(initial, before);
    if (repeats)
      inCopies->addIncoming(atEnd(phi), end);
    PHINode *remaining = inFew.CreatePHI(phi.getType(), 2);
    remaining->addIncoming(initial, before);
    remaining->addIncoming(atEnd(phi), done);
    phi.setIncomingValueForBlock(before, remaining);
  }
  for (PHINode &phi : exit->phis())
    phi.addIncoming(atEnd(phi), done);
  inFew.CreateBr(header);
  header->replacePhiUsesWith(before, few);
  before = few;
}

void Rewriting::doManyAtATime(unsigned most) {
  IRBuilder<> builder(before->getTerminator());
  unsigned bits = left->getType()->getIntegerBitWidth();
  Value *limit = ConstantInt::get(step->getType(), APInt::getOneBitSet(bits, bits - 5));
  Value *isPositive = builder.CreateICmpSGE(left, ConstantInt::get(left->getType(), 0));
  Value *isSmall = builder.CreateAnd(builder.CreateICmpULT(step, limit), isPositive);
  doAtATime(most, isSmall, /*repeats=*/true);
  if (most > fewCopies)
    doAtATime(fewCopies, isSmall, /*repeats=*/false);
  leaveAsItIs(*latch, /*isShort=*/true);
}

PreservedAnalyses SteppedLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &target = analyses.getResult<TargetIRAnalysis>(function);
  SmallVector<std::pair<Rewriting, unsigned>> rewritings;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    unsigned copies = unroll ? copiesOf(*loop, evolution, target) : 1;
    if (std::optional<SteppedLoop> stepped = asStepped(*loop, evolution, copies > 1))
      rewritings.push_back({Rewriting(*stepped), isShortForBlock(*stepped, evolution) ? 1 : copies});
  }
  for (auto &[rewriting, copies] : rewritings) {
    rewriting.endWhereLessThanAStepIsLeft();
    if (copies > 1)
      rewriting.doManyAtATime(copies);
  }
  return rewritings.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
