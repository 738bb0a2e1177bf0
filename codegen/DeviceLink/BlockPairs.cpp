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
#include "codegen/DeviceLink/Uniformity.h"
#include "codegen/Support/CloneFunction.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

/// Threads of larger kernels have enough under way.
static constexpr unsigned mostInstructions = 600;

static constexpr unsigned sharedSpace = 3;

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

bool isOfSharedMemory(const Value *value) {
  return value->getType()->isPointerTy() && value->getType()->getPointerAddressSpace() == sharedSpace;
}

/// True if two threads may take turns in `instruction`, of which one is in another block.
bool mayTakeTurns(const Instruction &instruction) {
  if (isa<AllocaInst, FenceInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction) || instruction.isVolatile() ||
      instruction.isAtomic() || any_of(instruction.operands(), [](const Use &use) { return isOfSharedMemory(use); }))
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst>(call) ||
         (call->onlyReadsMemory() && !call->isConvergent() && !call->mayHaveSideEffects());
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

class PairBuilder {
public:
  PairBuilder(Function &kernel, unsigned axis) : kernel(kernel), axis(axis) {}

  /// Returns the kernel of pairs; null if there is none.
  Function *build();

private:
  void createFunction();
  void placeBlocks();
  bool canPair(const Uniformity &uniformity) const;
  void computeForSecond(const Uniformity &uniformity);
  void branchToPair(const Guards &guards);
  Function *createSingle();
  BasicBlock *createFallback();
  Value *ofSecond(Value *value) const {
    Value *other = second.lookup(value);
    return other ? other : value;
  }

  Function &kernel;
  unsigned axis;
  Function *pairs = nullptr;
  BasicBlock *start = nullptr;             ///< where the blocks are known
  Value *blocks[2] = {nullptr, nullptr};   ///< the places in the grid
  SmallVector<Instruction *> blockReads;   ///< of the first of them
  DenseMap<const Value *, Value *> second; ///< what is in the second block instead of a value of the first
};

/// Sets `pairs` to a copy of the kernel with the extent of the grid behind its parameters.
void PairBuilder::createFunction() {
  ClonedFunction clone;
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
    if (&instruction != place && isReadOf(blockPlaces[axis], instruction)) {
      instruction.replaceAllUsesWith(blocks[0]);
      instruction.eraseFromParent();
    }
}

/// True if the back end joins `product` with a sum, which it decides by how many sums there are.
bool isPartOfSum(const Instruction &product, const Instruction &sum) {
  unsigned code = sum.getOpcode();
  return product.getOpcode() == Instruction::FMul && product.getParent() == sum.getParent() &&
         (code == Instruction::FAdd || code == Instruction::FSub || code == Instruction::FNeg);
}

/// True if both blocks go the same way, load something of their own, and round as one block alone does.
bool PairBuilder::canPair(const Uniformity &uniformity) const {
  bool loads = false;
  for (BasicBlock &block : *pairs) {
    if (!uniformity.branchesTogether(block))
      return false;
    for (Instruction &instruction : block) {
      bool isSame = uniformity.isUniform(&instruction);
      loads |= !isSame && isa<LoadInst>(instruction);
      for (const User *user : instruction.users())
        if (isSame && isPartOfSum(instruction, *cast<Instruction>(user)) && !uniformity.isUniform(user))
          return false;
    }
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
}

/// What is done in one block, whose place is the last parameter.
Function *PairBuilder::createSingle() {
  ClonedFunction clone;
  cloneWithParameters(kernel, {Type::getInt32Ty(kernel.getContext())}, kernel.getReturnType(), "single", clone);
  Function *single = clone.function;
  single->setCallingConv(CallingConv::C);
  for (Instruction &instruction : make_early_inc_range(instructions(*single)))
    if (isReadOf(blockPlaces[axis], instruction)) {
      instruction.replaceAllUsesWith(single->getArg(single->arg_size() - 1));
      instruction.eraseFromParent();
    }
  return single;
}

/// The block from which on one of the two is done after the other.
BasicBlock *PairBuilder::createFallback() {
  LLVMContext &context = pairs->getContext();
  BasicBlock *before = BasicBlock::Create(context, "apart", pairs), *loop = BasicBlock::Create(context, "each", pairs),
             *next = BasicBlock::Create(context, "next", pairs), *end = BasicBlock::Create(context, "end", pairs);
  IRBuilder<> builder(before);
  Value *extent = pairs->getArg(pairs->arg_size() - 1);
  Value *behind =
      builder.CreateBinaryIntrinsic(Intrinsic::smin, builder.CreateAdd(blocks[0], builder.getInt32(2)), extent);
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

Function *PairBuilder::build() {
  createFunction();
  placeBlocks();
  auto originOf = [&](const Value &value) {
    auto *instruction = dyn_cast<Instruction>(&value);
    bool isPlace = instruction && isReadOf(blockPlaces[axis], *instruction);
    return isPlace ? Uniformity::Different : Uniformity::AsOperands;
  };
  Guards guards = takeOutGuards(start->getSingleSuccessor(), Uniformity(*pairs, originOf));
  EliminateUnreachableBlocks(*pairs);
  Uniformity uniformity(*pairs, originOf);
  if (!canPair(uniformity)) {
    pairs->eraseFromParent();
    return nullptr;
  }
  computeForSecond(uniformity);
  branchToPair(guards);
  return pairs;
}

/// The axis on which neighbours become one block: the last that matters. Nothing if blocks have to be what they are.
std::optional<unsigned> axisOf(const Function &kernel) {
  bool hasClusters = kernel.hasFnAttribute("nvvm.cluster_dim") || kernel.hasFnAttribute("nvvm.maxclusterrank");
  if (hasClusters || kernel.getInstructionCount() > mostInstructions || !all_of(instructions(kernel), mayTakeTurns))
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
