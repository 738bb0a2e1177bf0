// In:  i = place in the grid
//      if (i > n) return
//      c(i) = a(i) + b(i)
//
// Out: kernel$pairs, with half as many blocks and the number of blocks that there were
//      block = 2 * place of the block
//      i = place in the grid if that were `block`, i' = if it were `block` + 1
//      if (block + 1 is in the grid and i <= n and i' <= n)
//        load a(i) and a(i'), load b(i) and b(i'), store c(i) and c(i')
//      else
//        the kernel as it was, for `block`, and for `block` + 1 if that is in the grid
//
// A thread then has twice as many loads under way: on an H200 a copy of real(8) reaches 4.07 TB/s in pairs, and 3.72
// without. Blocks of a grid come in any order, so that a kernel whose threads do not wait for each other may be taken
// in pairs; each of the two has its own operations in their order. Whether it pays depends on the kernel and on the
// size of the grid: launches find out (Alternatives).

#include "codegen/DeviceLink/BlockPairs.h"
#include "codegen/DeviceLink/PairPartings.h"
#include "codegen/DeviceLink/TakingTurns.h"
#include "codegen/DeviceLink/Uniformity.h"
#include "codegen/Support/CloneFunction.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

/// Threads of larger kernels have enough under way.
static constexpr unsigned mostInstructions = 1200;
namespace {

constexpr Intrinsic::ID blockPlaces[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
constexpr Intrinsic::ID gridExtents[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_nctaid_z};

bool isReadOf(Intrinsic::ID which, const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == which;
}

bool reads(Intrinsic::ID which, const Function &kernel) {
  return any_of(instructions(kernel), [=](const Instruction &each) { return isReadOf(which, each); });
}

/// Where threads go that have nothing to do: null if `block` does something.
BasicBlock *endOf(BasicBlock *block) {
  SmallPtrSet<BasicBlock *, 4> seen;
  while (seen.insert(block).second && block->size() == 1) {
    if (isa<ReturnInst>(block->getTerminator()))
      return block;
    block = block->getSingleSuccessor();
    if (!block)
      return nullptr;
  }
  return nullptr;
}

/// The blocks at the beginning of a kernel where threads leave it that have nothing to do.
struct Guards {
  /// What decides, and what it is for the threads that stay.
  struct Condition {
    Value *value;
    bool stays;
  };
  SmallVector<Condition, 4> conditions;
  BasicBlock *body; ///< where the others go on
  BasicBlock *last; ///< the block that this comes from; null if there is no condition
};

/// Takes out the branches by which threads leave at the beginning of a kernel, which is `entry`, and returns what they
/// were: what they depend on can be computed for all threads.
Guards takeOutGuards(BasicBlock *entry, const Uniformity &uniformity) {
  Guards guards = {{}, entry, nullptr};
  auto isForAll = [&](Instruction &each) {
    return !each.mayHaveSideEffects() && isSafeToSpeculativelyExecute(&each) &&
           (!each.mayReadFromMemory() || (!guards.last && uniformity.isUniform(&each)));
  };
  while (true) {
    BasicBlock &block = *guards.body;
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || (guards.last && !block.getSinglePredecessor()) ||
        !all_of(make_range(block.begin(), branch->getIterator()), isForAll))
      return guards;
    BasicBlock *ends[] = {endOf(branch->getSuccessor(0)), endOf(branch->getSuccessor(1))};
    if (!ends[0] == !ends[1])
      return guards;
    bool stays = ends[1];
    guards.conditions.push_back({branch->getCondition(), stays});
    guards.last = &block;
    guards.body = branch->getSuccessor(stays ? 0 : 1);
    BasicBlock *left = branch->getSuccessor(stays ? 1 : 0);
    left->removePredecessor(&block);
    ReplaceInstWithInst(branch, BranchInst::Create(guards.body));
  }
}

/// A variable that the threads of a block share.
struct SharedVariable {
  GlobalVariable *variable;   ///< of the kernel
  GlobalVariable *ofFirst;    ///< of the first block
  PHINode *address = nullptr; ///< what stands for that until it is known whether the second has its own
  bool isOfBoth = true;       ///< it has none: what both would write to it is the same
};

GlobalVariable *copyOf(GlobalVariable &variable, const Twine &suffix) {
  auto *copy = new GlobalVariable(*variable.getParent(), variable.getValueType(), variable.isConstant(),
                                  variable.getLinkage(), variable.getInitializer(), variable.getName() + suffix,
                                  &variable, variable.getThreadLocalMode(), variable.getAddressSpace());
  copy->copyAttributesFrom(&variable);
  return copy;
}

class PairBuilder {
public:
  PairBuilder(Function &kernel, unsigned axis)
      : kernel(kernel), axis(axis), hasMeetings(any_of(instructions(kernel), isMeetingOfThreads)) {}

  /// Returns the kernel of pairs; null if there is none.
  Function *build();

private:
  void createFunction();
  void placeBlocks();
  void placeVariables();
  void joinReturns();
  Uniformity::Origin originOf(const Value &value) const;
  Uniformity uniformity() const {
    return Uniformity(*pairs, [&](const Value &value) { return originOf(value); });
  }
  bool goTogether();
  bool separateVariables(const Uniformity &uniformity);
  bool canPair(const Uniformity &uniformity) const;
  void computeForSecond(const Uniformity &uniformity);
  void keepNeighboursTogether(BasicBlock &block);
  void endVariables();
  Function *giveUp();
  void branchToPair(const Guards &guards);
  Function *createSingle();
  BasicBlock *createFallback();
  Value *ofSecond(Value *value) const {
    Value *other = second.lookup(value);
    return other ? other : value;
  }

  Function &kernel;
  unsigned axis;
  bool hasMeetings;
  Function *pairs = nullptr;
  PairPartings partings;
  SmallVector<SharedVariable, 4> variables;
  BasicBlock *start = nullptr;             ///< where the blocks are known
  Value *blocks[2] = {nullptr, nullptr};   ///< the places in the grid
  DenseMap<const Value *, Value *> second; ///< what is in the second block instead of a value of the first
};

/// Sets `pairs` to a copy of the kernel with the extent of the grid behind its parameters.
void PairBuilder::createFunction() {
  ClonedFunction clone;
  for (GlobalVariable *variable : sharedVariables(kernel)) {
    GlobalVariable *copy = copyOf(*variable, "$pairs");
    clone.map[variable] = copy;
    variables.push_back({variable, copy});
  }
  cloneWithParameters(kernel, {Type::getInt32Ty(kernel.getContext())}, kernel.getReturnType(),
                      kernel.getName() + "$pairs", clone);
  pairs = clone.function;
  pairs->setLinkage(kernel.getLinkage());
  pairs->removeFromParent();
  kernel.getParent()->getFunctionList().insertAfter(kernel.getIterator(), pairs);
}

/// Lets `pairs` begin with the places of both blocks, and be what is done in the first of them.
void PairBuilder::placeBlocks() {
  BasicBlock *entry = &pairs->getEntryBlock();
  start = BasicBlock::Create(pairs->getContext(), "pair", pairs, entry);
  IRBuilder<> builder(start);
  Value *place = builder.CreateIntrinsic(builder.getInt32Ty(), blockPlaces[axis], {});
  blocks[0] = builder.CreateShl(place, 1, "block", /*HasNUW=*/true, /*HasNSW=*/true);
  blocks[1] = builder.CreateAdd(blocks[0], builder.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  builder.CreateBr(entry);
  for (Instruction &instruction : make_early_inc_range(instructions(*pairs)))
    if (isa<AllocaInst>(instruction)) {
      instruction.moveBefore(start->begin());
    } else if (&instruction != place && isReadOf(blockPlaces[axis], instruction)) {
      instruction.replaceAllUsesWith(blocks[0]);
      instruction.eraseFromParent();
    }
}

/// Gives the shared variables addresses that may be others in the second block.
void PairBuilder::placeVariables() {
  BasicBlock *entry = start->getSingleSuccessor();
  for (SharedVariable &each : variables) {
    convertUsersOfConstantsToInstructions({each.ofFirst}, pairs);
    each.address = PHINode::Create(each.ofFirst->getType(), 1, "", entry->begin());
    each.ofFirst->replaceAllUsesWith(each.address);
    each.address->addIncoming(each.ofFirst, start);
  }
}

/// Threads that are done meet at one place.
void PairBuilder::joinReturns() {
  SmallVector<Instruction *> returns;
  for (BasicBlock &block : *pairs)
    if (isa<ReturnInst>(block.getTerminator()))
      returns.push_back(block.getTerminator());
  if (returns.size() < 2)
    return;
  BasicBlock *end = BasicBlock::Create(pairs->getContext(), "done", pairs);
  IRBuilder<>(end).CreateRetVoid();
  for (Instruction *each : returns)
    ReplaceInstWithInst(each, BranchInst::Create(end));
}

Uniformity::Origin PairBuilder::originOf(const Value &value) const {
  return partings.originOf(value, [&](const Value &other) {
    auto *instruction = dyn_cast<Instruction>(&other);
    bool isOfBlock =
        instruction &&
        (isReadOf(blockPlaces[axis], *instruction) || isa<AllocaInst, AtomicRMWInst>(instruction) ||
         any_of(variables, [&](const SharedVariable &each) { return each.address == instruction && !each.isOfBoth; }));
    return isOfBlock ? Uniformity::Different : Uniformity::AsOperands;
  });
}

/// Gives the second block its own variables where it would write something else than the first. Returns true if these
/// are more than there were.
bool PairBuilder::separateVariables(const Uniformity &uniformity) {
  bool changed = false;
  auto note = [&](const Value *object) {
    for (SharedVariable &each : variables) {
      bool isOther = object == each.ofFirst || object == each.address ? false : isIdentifiedObject(object);
      if (each.isOfBoth && !isOther && !isa<Argument>(object)) {
        each.isOfBoth = false;
        changed = true;
      }
    }
  };
  for (Instruction &instruction : instructions(*pairs)) {
    if (!instruction.mayWriteToMemory() || isBarrierOfBlock(instruction) ||
        (uniformity.isUniform(&instruction) && !partings.isOnWays(*instruction.getParent())))
      continue;
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      note(getUnderlyingObject(store->getPointerOperand()));
    else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      note(getUnderlyingObject(atomic->getPointerOperand()));
    else if (auto *many = dyn_cast<MemIntrinsic>(&instruction))
      note(getUnderlyingObject(many->getDest()));
  }
  return changed;
}

/// Lets both blocks go the same way. Returns false if they cannot.
bool PairBuilder::goTogether() {
  do {
    if (!partings.takeOut(*pairs, [&](const Value &value) { return originOf(value); }))
      return false;
  } while (separateVariables(uniformity()));
  return true;
}

bool isProduct(const Value *value) {
  while (isa<FPExtInst>(value) || match(value, PatternMatch::m_FNeg(PatternMatch::m_Value())))
    value = cast<Instruction>(value)->getOperand(0);
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getOpcode() == Instruction::FMul;
}

/// True for a sum of two products. The back end joins it with the one that is used less often, and rounds the other.
bool isSumOfProducts(const Instruction &instruction) {
  return (instruction.getOpcode() == Instruction::FAdd || instruction.getOpcode() == Instruction::FSub) &&
         isProduct(instruction.getOperand(0)) && isProduct(instruction.getOperand(1));
}

/// True if both blocks go the same way, load something of their own, and round as one block alone does.
bool PairBuilder::canPair(const Uniformity &uniformity) const {
  bool loads = false;
  auto isSame = [&](const Value *value) { return uniformity.isUniform(value); };
  for (Instruction &instruction : instructions(*pairs)) {
    if (isSame(&instruction))
      continue;
    loads |= isa<LoadInst>(instruction);
    if (isSumOfProducts(instruction) && any_of(instruction.operands(), isSame))
      return false;
  }
  return loads;
}

/// Puts behind each instruction what it is in the second block, if that is something else.
void PairBuilder::computeForSecond(const Uniformity &uniformity) {
  second[blocks[0]] = blocks[1];
  SmallVector<Instruction *> copies;
  for (Instruction &instruction : make_early_inc_range(instructions(*pairs))) {
    if (&instruction == blocks[1] || second.contains(&instruction) || uniformity.isUniform(&instruction) ||
        instruction.isTerminator())
      continue;
    Instruction *copy = instruction.clone();
    copy->insertAfter(&instruction);
    second[&instruction] = copy;
    copies.push_back(copy);
  }
  for (Instruction *copy : copies)
    for (Use &operand : copy->operands())
      operand.set(ofSecond(operand));
  for (BasicBlock &block : *pairs)
    keepNeighboursTogether(block);
}

/// True if two stores are to neighbours in memory.
static bool areBeside(const StoreInst &store, const StoreInst &other) {
  const DataLayout &layout = store.getDataLayout();
  auto place = [&](const StoreInst &each, APInt &offset) {
    const Value *address = each.getPointerOperand();
    offset = APInt(layout.getIndexTypeSizeInBits(address->getType()), 0);
    return address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  };
  APInt offset, otherOffset;
  if (place(store, offset) != place(other, otherOffset))
    return false;
  int64_t distance = (otherOffset - offset).getSExtValue();
  return std::abs(distance) == int64_t(layout.getTypeStoreSize(store.getValueOperand()->getType()));
}

/// Lets stores to neighbours follow each other in each of the two, so that they become one store. Threads of different
/// blocks store in any order.
void PairBuilder::keepNeighboursTogether(BasicBlock &block) {
  SmallVector<StoreInst *> held;
  const StoreInst *last = nullptr;
  for (Instruction &instruction : make_early_inc_range(block)) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && is_contained(held, store))
      continue;
    auto *copy = store ? dyn_cast_or_null<StoreInst>(second.lookup(store)) : nullptr;
    bool continues = copy && !held.empty() && store->isSimple() && areBeside(*last, *store);
    bool mayWait = !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects();
    if (!continues && (!mayWait || instruction.isTerminator())) {
      if (held.size() > 1)
        for (StoreInst *each : held)
          each->moveBefore(instruction.getIterator());
      held.clear();
    }
    if (copy) {
      held.push_back(copy);
      last = store;
    }
  }
}

/// What is done in one block, whose place is the last parameter.
Function *PairBuilder::createSingle() {
  ClonedFunction clone;
  for (const SharedVariable &each : variables)
    clone.map[each.variable] = each.ofFirst;
  cloneWithParameters(kernel, {Type::getInt32Ty(kernel.getContext())}, kernel.getReturnType(), "single", clone);
  Function *single = clone.function;
  single->setCallingConv(CallingConv::C);
  // So that it has what the kernel has, and no copy.
  for (Argument &argument : single->args())
    argument.removeAttr(Attribute::ByVal);
  for (Instruction &instruction : make_early_inc_range(instructions(*single)))
    if (isReadOf(blockPlaces[axis], instruction)) {
      instruction.replaceAllUsesWith(single->getArg(single->arg_size() - 1));
      instruction.eraseFromParent();
    }
  return single;
}

/// The block from which on one of the two is done after the other, or the first alone if threads come together: then
/// there is no second one.
BasicBlock *PairBuilder::createFallback() {
  LLVMContext &context = pairs->getContext();
  BasicBlock *before = BasicBlock::Create(context, "apart", pairs), *loop = BasicBlock::Create(context, "each", pairs),
             *next = BasicBlock::Create(context, "next", pairs), *end = BasicBlock::Create(context, "end", pairs);
  IRBuilder<> builder(before);
  Value *extent = pairs->getArg(pairs->arg_size() - 1);
  Value *behind = builder.CreateAdd(blocks[0], builder.getInt32(hasMeetings ? 1 : 2));
  behind = builder.CreateBinaryIntrinsic(Intrinsic::smin, behind, extent);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *block = builder.CreatePHI(builder.getInt32Ty(), 2);
  block->addIncoming(blocks[0], before);
  Function *single = createSingle();
  SmallVector<Value *> arguments;
  for (Argument &argument : drop_end(pairs->args()))
    arguments.push_back(&argument);
  arguments.push_back(block);
  CallInst *call = builder.CreateCall(single, arguments);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  Value *following = builder.CreateAdd(block, builder.getInt32(1));
  block->addIncoming(following, next);
  builder.CreateCondBr(builder.CreateICmpSLT(following, behind), loop, end);
  IRBuilder<>(end).CreateRetVoid();
  InlineFunctionInfo info;
  InlineFunction(*call, info);
  single->eraseFromParent();
  return before;
}

/// Goes to where both blocks are done at a time if both have something to do, and there are both.
void PairBuilder::branchToPair(const Guards &guards) {
  BasicBlock *from = guards.last ? guards.last : start;
  Instruction *end = from->getTerminator();
  IRBuilder<> builder(end);
  Value *both = builder.CreateICmpSLT(blocks[1], pairs->getArg(pairs->arg_size() - 1));
  auto require = [&](Value *condition, bool value) {
    both = builder.CreateLogicalAnd(both, value ? condition : builder.CreateNot(condition));
  };
  for (auto [condition, stays] : guards.conditions) {
    require(condition, stays);
    if (ofSecond(condition) != condition)
      require(ofSecond(condition), stays);
  }
  auto *weights = MDBuilder(pairs->getContext()).createLikelyBranchWeights();
  builder.CreateCondBr(both, guards.body, createFallback(), weights);
  end->eraseFromParent();
}

/// Puts the variables in the place of their addresses.
void PairBuilder::endVariables() {
  for (SharedVariable &each : variables) {
    if (auto *copy = dyn_cast_or_null<PHINode>(second.lookup(each.address))) {
      copy->replaceAllUsesWith(copyOf(*each.variable, "$pairs$second"));
      copy->eraseFromParent();
    }
    each.address->replaceAllUsesWith(each.ofFirst);
    each.address->eraseFromParent();
  }
}

Function *PairBuilder::giveUp() {
  partings.drop();
  pairs->eraseFromParent();
  for (SharedVariable &each : variables)
    each.ofFirst->eraseFromParent();
  return nullptr;
}

Function *PairBuilder::build() {
  createFunction();
  placeBlocks();
  placeVariables();
  Guards guards = takeOutGuards(start->getSingleSuccessor(), uniformity());
  EliminateUnreachableBlocks(*pairs);
  joinReturns();
  // Threads that have left would be missed where the others come together.
  if ((hasMeetings && guards.last) || !goTogether())
    return giveUp();
  Uniformity now = uniformity();
  if (!canPair(now))
    return giveUp();
  computeForSecond(now);
  partings.putBack(second);
  endVariables();
  branchToPair(guards);
  return pairs;
}

/// The axis on which neighbours become one block: the last that matters. Nothing if blocks have to be what they are.
std::optional<unsigned> axisOf(const Function &kernel) {
  bool hasClusters = kernel.hasFnAttribute("nvvm.cluster_dim") || kernel.hasFnAttribute("nvvm.maxclusterrank");
  if (hasClusters || kernel.getInstructionCount() > mostInstructions || !mayTakeTurns(kernel))
    return std::nullopt;
  for (unsigned axis : {2, 1, 0})
    if (reads(blockPlaces[axis], kernel))
      return reads(gridExtents[axis], kernel) ? std::nullopt : std::optional(axis);
  return std::nullopt;
}

} // namespace

std::optional<PairsOfBlocks> cufort::codegen::createPairsOfBlocks(Function &kernel) {
  std::optional<unsigned> axis = axisOf(kernel);
  if (!axis)
    return std::nullopt;
  Function *function = PairBuilder(kernel, *axis).build();
  return function ? std::optional(PairsOfBlocks{function, *axis}) : std::nullopt;
}
