// In:  do                                  Out: next = a(1)
//        x = a(k)                               do
//        a long calculation with x                x = next
//        k = k + 1                                if (k + 1 <= n) next = a(k + 1)
//      while k <= n                               a long calculation with x
//                                                 k = k + 1
//                                               while k <= n
//
// Where a loop over the layers of a column, say, has other loops inside, it is not unrolled, and each of its rounds
// waits for what it loads. Registers for one round more are the price, and whether it pays depends on how many other
// threads there are to wait with: launches find out (Alternatives).

#include "codegen/DeviceLink/LoadsAhead.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// What a round computes at least, so that something is hidden behind it, and what a thread keeps at most, in bytes.
constexpr unsigned leastInstructions = 24, mostBytes = 64;
/// Of the operations that lead to the place of an element.
constexpr unsigned deepest = 12;

/// A loop that ends at its latch, and its loads that every round does.
struct Rounds {
  BasicBlock *before, *header, *latch;
  BranchInst *again;
  SmallVector<LoadInst *> loads;
};

/// What comes of operations if variables of a loop are other ones than at the begin of a round.
class OtherRound {
public:
  enum Which { First, Next };

  OtherRound(const Loop &loop, const Rounds &rounds, Which which) : loop(loop), rounds(rounds), which(which) {}

  /// True if `value` is computed by nothing but arithmetic from variables of the loop that are so, too, and from what
  /// is known before it.
  bool isKnown(Value *value) const {
    return isComputed(value, [&](PHINode &variable) {
      return isComputed(variable.getIncomingValueForBlock(rounds.latch), [](PHINode &) { return true; });
    });
  }

  /// Returns `value` in the other round, computed by `builder`. Only for what is known.
  Value *create(Value *value, IRBuilder<> &builder) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return value;
    if (Value *made = known.lookup(value))
      return made;
    Value *result = nullptr;
    if (auto *phi = dyn_cast<PHINode>(instruction))
      result = which == First ? phi->getIncomingValueForBlock(rounds.before)
                              : copyOf(phi->getIncomingValueForBlock(rounds.latch), builder);
    else
      result = copy(*instruction, builder, [&](Value *operand) { return create(operand, builder); });
    return known[value] = result;
  }

  /// Returns `value` as of the round itself, computed by `builder`.
  Value *copyOf(Value *value, IRBuilder<> &builder) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction) || isa<PHINode>(instruction))
      return value;
    if (Value *made = copied.lookup(value))
      return made;
    return copied[value] = copy(*instruction, builder, [&](Value *operand) { return copyOf(operand, builder); });
  }

private:
  static bool isArithmetic(const Instruction &instruction) {
    constexpr Intrinsic::ID functions[] = {Intrinsic::smin, Intrinsic::smax, Intrinsic::umin, Intrinsic::umax,
                                           Intrinsic::abs,  Intrinsic::fshl, Intrinsic::fshr};
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return isa<CastInst, CmpInst, SelectInst, GetElementPtrInst>(instruction) ||
           (isa<BinaryOperator>(instruction) && !instruction.isIntDivRem()) ||
           (call && is_contained(functions, call->getIntrinsicID()));
  }

  /// True if `value` is computed by arithmetic from what is known before the loop, and from variables of the loop for
  /// which `mayBe` holds.
  bool isComputed(Value *value, function_ref<bool(PHINode &)> mayBe, unsigned depth = 0) const {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return true;
    if (auto *variable = dyn_cast<PHINode>(instruction))
      return variable->getParent() == rounds.header && mayBe(*variable);
    return depth < deepest && isArithmetic(*instruction) &&
           all_of(instruction->operands(), [&](Value *operand) { return isComputed(operand, mayBe, depth + 1); });
  }

  static Value *copy(Instruction &instruction, IRBuilder<> &builder, function_ref<Value *(Value *)> operandOf) {
    SmallVector<Value *> operands;
    for (Value *operand : instruction.operands())
      operands.push_back(operandOf(operand));
    Instruction *twin = instruction.clone();
    for (auto [number, operand] : enumerate(operands))
      twin->setOperand(number, operand);
    return builder.Insert(twin);
  }

  const Loop &loop;
  const Rounds &rounds;
  Which which;
  DenseMap<Value *, Value *> known, copied;
};

unsigned bytesOf(const LoadInst &load) { return load.getDataLayout().getTypeStoreSize(load.getType()); }

/// True if nothing writes what `load` reads while the kernel runs, and it reads global memory.
bool readsOnly(const LoadInst &load) {
  constexpr unsigned generic = 0, global = 1;
  return load.isSimple() && load.hasMetadata(LLVMContext::MD_invariant_load) &&
         (load.getPointerAddressSpace() == generic || load.getPointerAddressSpace() == global);
}

bool isLongEnough(const Loop &loop) {
  unsigned count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += block->size();
  return count >= leastInstructions;
}

/// The loads of `loop` that may be done a round before, if it is one of which rounds wait.
std::optional<Rounds> roundsOf(const Loop &loop, const DominatorTree &tree) {
  BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  // Loops of one block have been unrolled: their loads are under way together.
  if (!before || !latch || loop.getExitingBlock() != latch || loop.getNumBlocks() == 1 || !isLongEnough(loop))
    return std::nullopt;
  auto *again = dyn_cast<BranchInst>(latch->getTerminator());
  Rounds rounds = {before, loop.getHeader(), latch, again, {}};
  OtherRound next(loop, rounds, OtherRound::Next);
  if (!again || !again->isConditional() || !next.isKnown(again->getCondition()))
    return std::nullopt;
  unsigned bytes = 0;
  for (BasicBlock *block : loop.blocks()) {
    if (!tree.dominates(block, latch))
      continue;
    for (Instruction &instruction : *block) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      Value *place = load ? load->getPointerOperand() : nullptr;
      if (!load || !readsOnly(*load) || loop.isLoopInvariant(place) || !next.isKnown(place))
        continue;
      bytes += bytesOf(*load);
      if (bytes <= mostBytes)
        rounds.loads.push_back(load);
    }
  }
  return rounds.loads.empty() ? std::nullopt : std::optional(std::move(rounds));
}

LoadInst *loadAt(Value *place, const LoadInst &load, IRBuilder<> &builder) {
  auto *twin = cast<LoadInst>(builder.Insert(load.clone()));
  twin->setOperand(LoadInst::getPointerOperandIndex(), place);
  return twin;
}

/// Has each round of `loop` load for the next one.
void loadAhead(const Loop &loop, const Rounds &rounds, LoopInfo &loops) {
  Instruction *start = &*rounds.header->getFirstNonPHIIt();
  OtherRound first(loop, rounds, OtherRound::First), next(loop, rounds, OtherRound::Next);
  IRBuilder<> before(rounds.before->getTerminator()), atStart(start);
  Value *goesOn = next.copyOf(rounds.again->getCondition(), atStart);
  if (rounds.again->getSuccessor(0) != rounds.header)
    goesOn = atStart.CreateNot(goesOn);
  Instruction *end = SplitBlockAndInsertIfThen(goesOn, start->getIterator(), /*Unreachable=*/false,
                                               /*BranchWeights=*/nullptr, /*DTU=*/nullptr, &loops);
  IRBuilder<> ahead(end), behind(start);
  for (LoadInst *load : rounds.loads) {
    IRBuilder<> variables(&rounds.header->front());
    PHINode *element = variables.CreatePHI(load->getType(), 2, "ahead");
    Value *place = load->getPointerOperand();
    element->addIncoming(loadAt(first.create(place, before), *load, before), rounds.before);
    LoadInst *later = loadAt(next.create(place, ahead), *load, ahead);
    PHINode *kept = PHINode::Create(load->getType(), 2, "", start->getParent()->begin());
    kept->addIncoming(later, end->getParent());
    kept->addIncoming(element, rounds.header);
    element->addIncoming(kept, rounds.latch);
    load->replaceAllUsesWith(element);
  }
  for (LoadInst *load : rounds.loads)
    load->eraseFromParent();
}

/// Calls `use` with the first loop of `function` that may load ahead and whose header is not in `done`. Returns false
/// if there is none.
bool useNextLoop(Function &function, const SmallPtrSetImpl<const BasicBlock *> &done,
                 function_ref<void(const Loop &, const Rounds &, LoopInfo &)> use) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    auto rounds = done.contains(loop->getHeader()) ? std::nullopt : roundsOf(*loop, tree);
    if (!rounds)
      continue;
    use(*loop, *rounds, loops);
    return true;
  }
  return false;
}

} // namespace

Function *cufort::codegen::createLoadsAhead(Function &kernel) {
  SmallPtrSet<const BasicBlock *, 8> done;
  if (!useNextLoop(kernel, done, [](const Loop &, const Rounds &, LoopInfo &) {}))
    return nullptr;
  ValueToValueMapTy twins;
  Function *function = CloneFunction(&kernel, twins);
  function->setName(kernel.getName() + loadsAheadSuffix);
  function->removeFromParent();
  kernel.getParent()->getFunctionList().insertAfter(kernel.getIterator(), function);
  while (useNextLoop(*function, done, [&](const Loop &loop, const Rounds &rounds, LoopInfo &loops) {
    done.insert(loop.getHeader());
    loadAhead(loop, rounds, loops);
  }))
    ;
  return function;
}
