#include "codegen/DeviceLink/KernelVersion.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

SmallVector<BasicBlock *> cufort::codegen::blocksFrom(BasicBlock &first) {
  df_iterator_default_set<BasicBlock *> reached;
  for (BasicBlock *block : depth_first_ext(&first, reached))
    (void)block;
  SmallVector<BasicBlock *> result;
  for (BasicBlock &block : *first.getParent())
    if (reached.contains(&block))
      result.push_back(&block);
  return result;
}

KernelVersion::KernelVersion(BasicBlock &first, const Twine &suffix) : first(first) {
  Function &kernel = *first.getParent();
  SmallVector<BasicBlock *> originals = blocksFrom(first);
  SmallVector<BasicBlock *> before(predecessors(&first));
  decision = BasicBlock::Create(kernel.getContext(), "decision", &kernel, &first);
  for (BasicBlock *block : before)
    block->getTerminator()->replaceSuccessorWith(&first, decision);
  // Local variables serve both versions.
  if (before.empty())
    for (Instruction &instruction : make_early_inc_range(first))
      if (isa<AllocaInst>(instruction))
        instruction.moveBefore(*decision, decision->end());
  for (BasicBlock *block : originals) {
    copies.push_back(CloneBasicBlock(block, map, suffix, &kernel));
    map[block] = copies.back();
  }
  for (BasicBlock *copy : copies)
    for (Instruction &instruction : *copy)
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

Value *KernelVersion::lookup(Value *value) const {
  Value *copy = map.lookup(value);
  return copy ? copy : value;
}

BranchInst &KernelVersion::useIf(function_ref<Value *(IRBuilder<> &)> condition) {
  IRBuilder<> builder(decision);
  Value *holds = condition(builder);
  return *builder.CreateCondBr(holds, copies.front(), &first,
                               MDBuilder(first.getContext()).createLikelyBranchWeights());
}

Value *cufort::codegen::emitHavePlainStrides(IRBuilder<> &builder, ArrayRef<Value *> versions) {
  static_assert(CUFORT_PLAIN_STRIDES == INT32_MIN, "one comparison finds it");
  return builder.CreateICmpSLT(builder.CreateAnd(versions), builder.getInt32(0));
}

static bool isOnlyLoadedFrom(const Value &address) {
  return all_of(address.users(), [](const User *user) {
    if (auto *load = dyn_cast<LoadInst>(user))
      return load->isSimple();
    return isa<GEPOperator, AddrSpaceCastOperator>(user) && isOnlyLoadedFrom(*user);
  });
}

bool cufort::codegen::isOnlyLoaded(const Argument &argument) { return isOnlyLoadedFrom(argument); }

std::pair<Argument *, int64_t> cufort::codegen::placeInArgument(Value *address, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {dyn_cast<Argument>(base), offset.getSExtValue()};
}
