// A Fortran loop counts its rounds in 64 bits, beside the loop variable. A GPU has registers of 32 bits: the counter
// then takes two, and four instructions in each round. It becomes one of 32 bits if the number of rounds is known to
// fit, as it is for a loop variable of 32 bits.
//
// LLVM unrolls a loop with many rounds on NVPTX only if the copies are very small together. A loop that calculates more
// than that gains by it too: its addresses become constant offsets from one, and its counting takes a fourth. So does a
// loop that reads arrays, whose loads are under way together; LLVM and ptxas unroll the shortest of these. A loop over
// an array that belongs to the thread is unrolled completely if that is possible, for then the array may live in
// registers. So is a loop of a few rounds that only calculates: what it jumps over in each round, as the special cases
// of a function of libdevice, costs less without a loop around it.

#include "codegen/DeviceLink/CountedLoops.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/DeviceLink/RoundCost.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

constexpr unsigned copies = 4;
/// What a round costs of which LLVM makes four copies.
constexpr unsigned shortRound = 22;
/// Rounds up to which a loop with a number of them that differs between threads is unrolled completely.
constexpr unsigned fewRounds = 2;
/// Loads of a round that are enough to be under way together, unless each round waits for the one before: ptxas would
/// not find registers for those of several.
constexpr unsigned mostLoads = 5;
constexpr unsigned largestUnrolled = 256, largestInnermost = 512, largestComplete = 2048;

/// The constant that `latch` compares the counter of a loop with, or null.
ConstantInt *limitOf(const BranchInst &latch) {
  auto *compare = dyn_cast<ICmpInst>(latch.getCondition());
  return compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
}

/// The counter of `loop`: a value of 64 bits that does nothing but decide in `latch` whether there is another round, or
/// is also the variable of a loop that counts down.
PHINode *counterOf(const Loop &loop, const BranchInst &latch) {
  auto *compare = dyn_cast<ICmpInst>(latch.getCondition());
  if (!compare || !compare->hasOneUse() || !limitOf(latch))
    return nullptr;
  for (PHINode &phi : loop.getHeader()->phis()) {
    auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    auto *step = next && next->getOpcode() == Instruction::Add && next->getOperand(0) == &phi
                     ? dyn_cast<ConstantInt>(next->getOperand(1))
                     : nullptr;
    auto isCounting = [&](const User *user) { return user == next || user == compare || user == &phi; };
    Value *compared = compare->getOperand(0);
    if (step && phi.getType()->isIntegerTy(64) && (compared == &phi || compared == next) &&
        (step->isMinusOne() || (all_of(phi.users(), isCounting) && all_of(next->users(), isCounting))))
      return &phi;
  }
  return nullptr;
}

/// Lets `loop` count down to zero from `again`, how often it is repeated. So LLVM knows as much about the number of
/// rounds as before.
void countDown(Loop &loop, BranchInst &latch, Value *again, PHINode *replaced) {
  Type *type = again->getType();
  IRBuilder<> builder(&loop.getHeader()->front());
  PHINode *left = builder.CreatePHI(type, 2, "rounds.left");
  builder.SetInsertPoint(&latch);
  left->addIncoming(again, loop.getLoopPreheader());
  left->addIncoming(builder.CreateAdd(left, ConstantInt::getAllOnesValue(type), "rounds.next"), loop.getLoopLatch());
  bool staysIfTrue = latch.getSuccessor(0) == loop.getHeader();
  auto predicate = staysIfTrue ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  latch.setCondition(builder.CreateICmp(predicate, left, ConstantInt::getNullValue(type)));
  RecursivelyDeleteDeadPHINode(replaced);
}

/// True if `counter` starts with a number that fits into 32 bits and counts down from it to `limit`.
bool countsDownFromFew(PHINode &counter, const ConstantInt &limit, const Loop &loop, LazyValueInfo &ranges) {
  auto *next = cast<BinaryOperator>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
  Value *start = counter.getIncomingValueForBlock(loop.getLoopPreheader());
  // What the loop is guarded by is part of the range: a loop with a step has a quotient of something not negative.
  ConstantRange range = ranges.getConstantRangeOnEdge(start, loop.getLoopPreheader(), loop.getHeader());
  return cast<ConstantInt>(next->getOperand(1))->isMinusOne() && range.getUnsignedMax().ule(UINT32_MAX) &&
         !limit.isNegative();
}

/// True if `again`, how often `loop` is repeated, is known to fit into 32 bits.
bool isFew(const SCEV *again, const Loop &loop, ScalarEvolution &evolution) {
  auto *most = dyn_cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(&loop));
  if (most && most->getAPInt().ule(UINT32_MAX))
    return true;
  return evolution.getSignedRangeMax(again).sle(UINT32_MAX) &&
         evolution.isLoopEntryGuardedByCond(&loop, ICmpInst::ICMP_SGE, again, evolution.getZero(again->getType()));
}

bool narrowCounter(Loop &loop, ScalarEvolution &evolution, LazyValueInfo &ranges) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  if (!loop.getLoopPreheader() || loop.getExitingBlock() != latch || !branch || !branch->isConditional())
    return false;
  PHINode *counter = counterOf(loop, *branch);
  const SCEV *again = evolution.getBackedgeTakenCount(&loop);
  if (!counter || isa<SCEVCouldNotCompute>(again))
    return false;
  if (!isFew(again, loop, evolution) && !countsDownFromFew(*counter, *limitOf(*branch), loop, ranges))
    return false;
  Type *type = Type::getInt32Ty(latch->getContext());
  const SCEV *narrow = evolution.getTruncateOrNoop(again, type);
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution, "rounds");
  if (!expander.isSafeToExpandAt(narrow, before))
    return false;
  evolution.forgetLoop(&loop);
  countDown(loop, *branch, expander.expandCodeFor(narrow, type, before), counter);
  return true;
}

using Accesses = SmallVector<const Instruction *>;

Accesses memoryAccesses(const Loop &loop) {
  Accesses result;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (instruction.mayReadOrWriteMemory())
        result.push_back(&instruction);
  return result;
}

/// True for an element of an array of the thread whose subscripts are not constants yet.
bool isOfLocalArray(const Instruction *access) {
  const Value *address = getLoadStorePointerOperand(access);
  if (!address || !isa<AllocaInst>(getUnderlyingObject(address)))
    return false;
  const DataLayout &layout = access->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  return !isa<AllocaInst>(address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
}

bool staysInside(const Loop *inner) { return hasUnrollTransformation(inner) & TM_Disable; }

/// True if each round of `loop` is to become code of its own.
bool isForCompleteUnrolling(const Loop &loop, unsigned rounds, unsigned cost) {
  uint64_t total = uint64_t(rounds) * cost;
  if (loop.isInnermost() && rounds > 2 * copies && total <= largestInnermost)
    return true;
  Accesses accesses = memoryAccesses(loop);
  bool isWorthIt = accesses.empty() ? rounds <= 2 * copies : any_of(accesses, isOfLocalArray);
  return rounds && isWorthIt && total <= largestComplete && all_of(loop, staysInside);
}

/// True if `loop` calls functions, as the power of libdevice is one, or lets threads meet, in a few rounds over an
/// array that belongs to the thread, so that nothing but its complete unrolling is worth copies of that.
bool isOfFewCalls(const Loop &loop, unsigned rounds, const TargetTransformInfo &target) {
  if (rounds > 2 * copies || !any_of(memoryAccesses(loop), isOfLocalArray))
    return false;
  std::optional<unsigned> cost = costOfRound(loop, target, /*mayMeet=*/true, /*mayCall=*/true);
  return cost && isForCompleteUnrolling(loop, rounds, *cost);
}

/// How many loads of `loop` are from arrays that arguments lead to.
unsigned loadsOfArguments(const Loop &loop) {
  return count_if(memoryAccesses(loop), [](const Instruction *access) {
    SmallVector<const Value *, 4> objects;
    if (isa<LoadInst>(access))
      getUnderlyingObjects(access->getOperand(0), objects);
    return any_of(objects, [](const Value *object) { return !isa<GlobalVariable, AllocaInst>(object); });
  });
}

/// True if threads wait for each other in `loop`, so that it cannot be unrolled.
bool isConvergent(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      auto *call = dyn_cast<CallBase>(&instruction);
      return call && call->isConvergent();
    });
  });
}

/// True if threads multiply matrices together in `loop`.
bool multipliesMatrices(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.wmma.");
    });
  });
}

/// True if each round of `loop` may calculate with what the one before has: in variables, or in an array that is
/// written as well.
bool isRecurrence(const Loop &loop) {
  SmallPtrSet<const Value *, 4> read, written;
  for (const Instruction *access : memoryAccesses(loop))
    if (const Value *place = getLoadStorePointerOperand(access))
      (isa<LoadInst>(access) ? read : written).insert(getUnderlyingObject(place));
  return any_of(written, [&](const Value *array) { return read.contains(array); }) ||
         any_of(loop.getHeader()->phis(), [](const PHINode &phi) { return phi.getType()->isFloatingPointTy(); });
}

/// True if `value` depends on how many blocks the grid has.
bool dependsOnGrid(const Value *value, unsigned depth = 0) {
  constexpr unsigned deepest = 6;
  constexpr Intrinsic::ID sizes[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  auto *instruction = dyn_cast<Instruction>(value);
  if (auto *call = dyn_cast_or_null<IntrinsicInst>(instruction))
    return is_contained(sizes, call->getIntrinsicID());
  return depth < deepest && instruction && isa<BinaryOperator, CastInst>(instruction) &&
         any_of(instruction->operands(), [&](const Use &operand) { return dependsOnGrid(operand, depth + 1); });
}

/// True if threads share the rounds of `loop`: those of one are as far apart as the grid is large.
bool isShared(const Loop &loop) {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &instruction) {
      return isa<BinaryOperator>(instruction) && any_of(instruction.operands(), [&](const Use &operand) {
               return loop.isLoopInvariant(operand) && dependsOnGrid(operand);
             });
    });
  });
}

/// True if a round of `loop` waits for its conditions before it loads most of what it loads.
bool loadsBehindConditions(const Loop &loop, const DominatorTree &tree) {
  auto isLoad = [](const Instruction *access) { return isa<LoadInst>(access); };
  Accesses accesses = memoryAccesses(loop);
  auto isBehind = [&](const Instruction *access) {
    return isLoad(access) && !tree.dominates(access->getParent(), loop.getLoopLatch());
  };
  return 2 * count_if(accesses, isBehind) >= count_if(accesses, isLoad);
}

/// True if `loop` is inside of loops only whose rounds threads share.
bool isOutermostOfThread(const Loop &loop) {
  for (const Loop *around = loop.getParentLoop(); around; around = around->getParentLoop())
    if (!isShared(*around))
      return false;
  return !isShared(loop);
}

/// True if `loop` is not one that copies of its rounds are known to slow down: loops with branches inside of others,
/// which often have few rounds, and, in CUF kernels, loops that threads share, all loops inside of others, and those
/// with branches before most loads.
bool mayHaveCopies(const Loop &loop, const DominatorTree &tree) {
  bool isMapped = isOfLoops(*loop.getHeader()->getParent());
  if (!isMapped)
    return loop.getNumBlocks() == 1 || loop.isOutermost();
  return isOutermostOfThread(loop) && (loop.getNumBlocks() == 1 || !loadsBehindConditions(loop, tree));
}

/// True if LLVM finds a round of `loop` too long to unroll it, and it reads arrays, so that loads of several rounds may
/// be under way.
bool isLeftToUs(const Loop &loop, unsigned cost, const DominatorTree &tree) {
  unsigned loads = loadsOfArguments(loop);
  return cost > shortRound && !getBooleanLoopAttribute(&loop, "llvm.loop.unroll.runtime.disable") && loads > 0 &&
         (loads <= mostLoads || isRecurrence(loop)) && mayHaveCopies(loop, tree) &&
         !isConvergent(*loop.getOutermostLoop()) && !multipliesMatrices(*loop.getOutermostLoop());
}

bool isForUnrollingInPart(const Loop &loop, unsigned rounds, unsigned cost, ScalarEvolution &evolution,
                          const DominatorTree &tree) {
  bool mayBeLong = memoryAccesses(loop).empty() || isLeftToUs(loop, cost, tree);
  bool isLong = rounds ? rounds > 2 * copies : mayBeLong && evolution.hasLoopInvariantBackedgeTakenCount(&loop);
  return isLong && loop.isInnermost() && cost * copies <= largestUnrolled;
}

/// True if a variable of `loop` begins as a constant and is multiplied or divided by one in each round, as the distance
/// between the partners of a butterfly or of a sum over a tree. In copies of rounds it is a constant, and so are the
/// quotients and remainders of it.
bool hasGeometricVariable(const Loop &loop) {
  return any_of(loop.getHeader()->phis(), [&](PHINode &phi) {
    auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    return next && (next->isShift() || next->getOpcode() == Instruction::Mul || next->isIntDivRem()) &&
           next->getOperand(0) == &phi && isa<ConstantInt>(next->getOperand(1)) &&
           isa<ConstantInt>(phi.getIncomingValueForBlock(loop.getLoopPreheader()));
  });
}

/// True if `loop`, in which threads may meet, is a few rounds of which each does something else.
bool isOfStages(const Loop &loop, unsigned rounds, const TargetTransformInfo &target) {
  if (rounds == 0 || rounds > 2 * copies || !hasGeometricVariable(loop) || !all_of(loop, staysInside))
    return false;
  std::optional<unsigned> cost = costOfRound(loop, target, /*mayMeet=*/true);
  return cost && uint64_t(rounds) * *cost <= largestComplete;
}

/// True if `loop` has so few rounds, though not always as many, that it is to become straight code with ways out. So do
/// loops that load a tile and what is around it.
bool hasFewRounds(const Loop &loop, unsigned cost, ScalarEvolution &evolution) {
  unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  return most > 0 && most <= fewRounds && most * cost <= largestInnermost &&
         all_of(loop, [&](const Loop *inner) { return evolution.getSmallConstantMaxTripCount(inner) <= fewRounds; });
}

/// How `loop` is to be unrolled: as the metadata says that LLVM knows, or null.
const char *unrollingOf(const Loop &loop, ScalarEvolution &evolution, const TargetTransformInfo &target,
                        const DominatorTree &tree) {
  if (!loop.getLoopPreheader() || loop.getExitingBlock() != loop.getLoopLatch() ||
      hasUnrollTransformation(&loop) != TM_Unspecified)
    return nullptr;
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (isOfStages(loop, rounds, target) || isOfFewCalls(loop, rounds, target))
    return "llvm.loop.unroll.full";
  std::optional<unsigned> cost = costOfRound(loop, target);
  if (!cost || *cost > largestComplete)
    return nullptr;
  if (isForCompleteUnrolling(loop, rounds, *cost))
    return "llvm.loop.unroll.full";
  if (rounds == 0 && hasFewRounds(loop, *cost, evolution))
    return "llvm.loop.unroll.enable";
  return isForUnrollingInPart(loop, rounds, *cost, evolution, tree) ? "llvm.loop.unroll.count" : nullptr;
}

} // namespace

PreservedAnalyses CountedLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &ranges = analyses.getResult<LazyValueAnalysis>(function);
  auto &target = analyses.getResult<TargetIRAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    changed |= narrowCounter(*loop, evolution, ranges);
    if (const char *unrolling = unroll ? unrollingOf(*loop, evolution, target, tree) : nullptr) {
      addStringMetadataToLoop(loop, unrolling, copies);
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

namespace {

/// A variable of a loop that each round adds a constant to.
struct Counter {
  PHINode *count;
  BinaryOperator *next;
  ConstantInt *step;
};

SmallVector<Counter, 2> countersOf(const Loop &loop) {
  SmallVector<Counter, 2> counters;
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch)
    return counters;
  for (PHINode &count : loop.getHeader()->phis()) {
    auto *next = dyn_cast<BinaryOperator>(count.getIncomingValueForBlock(latch));
    auto *step = next && next->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(next->getOperand(1)) : nullptr;
    if (step && next->getOperand(0) == &count)
      counters.push_back({&count, next, step});
  }
  return counters;
}

/// The condition on which `loop` goes on from its end, if that is all it depends on; else null.
ICmpInst *conditionOf(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  return branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
}

/// True if `counter` is only counted and compared, by `compare`.
bool isOnlyCompared(const Counter &counter, const ICmpInst &compare) {
  return all_of(counter.count->users(), [&](const User *user) { return user == counter.next || user == &compare; });
}

/// True if comparing `counter` after its step says the same as before, with a limit that is a step further.
bool mayCompareNext(const Counter &counter, const ICmpInst &compare, const ConstantInt &limit) {
  if (compare.isEquality())
    return true;
  bool overflow;
  const APInt &step = counter.step->getValue();
  (void)(compare.isSigned() ? limit.getValue().sadd_ov(step, overflow) : limit.getValue().uadd_ov(step, overflow));
  return !overflow && (compare.isSigned() ? counter.next->hasNoSignedWrap() : counter.next->hasNoUnsignedWrap());
}

/// Lets `compare`, which compares `counter` with a constant, compare the count of the next round.
bool compareNext(const Counter &counter, ICmpInst &compare) {
  auto *limit = dyn_cast<ConstantInt>(compare.getOperand(1));
  if (!limit || compare.getOperand(0) != counter.count || counter.next->getParent() != compare.getParent() ||
      !mayCompareNext(counter, compare, *limit))
    return false;
  if (compare.comesBefore(counter.next))
    counter.next->moveBefore(compare.getIterator());
  compare.setOperand(0, counter.next);
  compare.setOperand(1, ConstantInt::get(limit->getType(), limit->getValue() + counter.step->getValue()));
  return true;
}

/// Counts from the number of rounds down to zero instead of up to it, if the count is needed for nothing else.
bool countDown(const Loop &loop, const Counter &counter, ICmpInst &compare) {
  Value *limit = compare.getOperand(1);
  BasicBlock *before = loop.getLoopPreheader();
  bool onlyCompared =
      all_of(counter.next->users(), [&](const User *user) { return user == counter.count || user == &compare; });
  if (!before || !compare.isEquality() || compare.getOperand(0) != counter.next || isa<Constant>(limit) ||
      !loop.isLoopInvariant(limit) || !onlyCompared || !isOnlyCompared(counter, compare) ||
      !match(counter.count->getIncomingValueForBlock(before), m_Zero()))
    return false;
  counter.count->setIncomingValueForBlock(before, limit);
  counter.next->setOperand(1, ConstantInt::get(limit->getType(), -counter.step->getValue()));
  counter.next->dropPoisonGeneratingFlags();
  compare.setOperand(1, ConstantInt::get(limit->getType(), 0));
  return true;
}

/// True if `counter` is only counted down by one in `loop`, and tested for zero by `compare`.
bool onlyCountsDown(const Loop &loop, const Counter &counter, const ICmpInst &compare) {
  Value *tested = compare.getOperand(0);
  return counter.step->isMinusOne() && compare.isEquality() && match(compare.getOperand(1), m_Zero()) &&
         compare.hasOneUse() && (tested == counter.count || tested == counter.next) && loop.getLoopPreheader() &&
         isOnlyCompared(counter, compare) &&
         all_of(counter.next->users(), [&](const User *user) { return user == counter.count || user == &compare; });
}

/// Ends `loop` where `variable`, which moves by one in each round, has come to in the last, instead of by `counter`. In
/// loops around others each of them is in a register in all rounds of the inner ones, and so is what it begins with.
bool endAt(const Loop &loop, const Counter &variable, const Counter &counter, ICmpInst &compare) {
  bool isUp = variable.step->isOne();
  if (variable.count == counter.count || variable.count->getType() != counter.count->getType() ||
      !(isUp || variable.step->isMinusOne()) || isOnlyCompared(variable, compare))
    return false;
  BasicBlock *before = loop.getLoopPreheader();
  IRBuilder<> builder(before->getTerminator());
  Value *start = variable.count->getIncomingValueForBlock(before);
  Value *rounds = counter.count->getIncomingValueForBlock(before);
  if (isa<Constant>(rounds))
    return false;
  if (compare.getOperand(0) == counter.count)
    rounds = builder.CreateAdd(rounds, ConstantInt::get(rounds->getType(), 1));
  Value *end = isUp ? builder.CreateAdd(start, rounds, "end") : builder.CreateSub(start, rounds, "end");
  compare.setOperand(0, variable.next);
  compare.setOperand(1, end);
  if (variable.next->getParent() == compare.getParent() && compare.comesBefore(variable.next))
    variable.next->moveBefore(compare.getIterator());
  RecursivelyDeleteDeadPHINode(counter.count);
  return true;
}

/// Lets a variable of `loop`, which is around others, count its rounds as well, if there is a counter beside one.
bool mergeCounters(const Loop &loop, ICmpInst &compare) {
  SmallVector<Counter, 2> counters = countersOf(loop);
  auto counter = find_if(counters, [&](const Counter &counter) { return onlyCountsDown(loop, counter, compare); });
  return compare.getParent() == loop.getLoopLatch() && counter != counters.end() &&
         any_of(counters, [&](const Counter &variable) { return endAt(loop, variable, *counter, compare); });
}

/// True if ptxas should unroll `loop`, also where LLVM has done so: more loads are under way then.
bool isLeftToPtxas(const Loop &loop) {
  return loop.isInnermost() && !(hasUnrollTransformation(&loop) & TM_Disable) && loadsOfArguments(loop) > 0;
}

} // namespace

PreservedAnalyses LeanCounters::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    ICmpInst *condition = conditionOf(*loop);
    if (condition && !loop->isInnermost() && mergeCounters(*loop, *condition)) {
      changed = true;
      continue;
    }
    for (const Counter &counter : countersOf(*loop)) {
      changed |= condition && countDown(*loop, counter, *condition);
      for (User *user : to_vector(counter.count->users())) {
        auto *compare = dyn_cast<ICmpInst>(user);
        // A loop without barriers that only counts ptxas unrolls then, by four: not if that gains nothing.
        bool mayEndLoop = isConvergent(*loop) || isLeftToPtxas(*loop);
        if (compare && (compare == condition ? mayEndLoop : isOnlyCompared(counter, *compare)))
          changed |= compareNext(counter, *compare);
      }
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
