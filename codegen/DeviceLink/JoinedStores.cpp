#include "codegen/DeviceLink/JoinedStores.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

/// How many stores may be joined in a block: the values of all of them are in registers at its beginning.
constexpr unsigned mostStores = 4;
/// How many steps the calculation of a place may have that each branch does for itself.
constexpr unsigned mostSteps = 8;

/// The store that `block` ends with, but for calculations, if it only goes on to one other block; else null.
StoreInst *lastStoreOf(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || branch->isConditional())
    return nullptr;
  for (Instruction &instruction : reverse(block)) {
    if (&instruction == branch || instruction.isDebugOrPseudoInst())
      continue;
    if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      return store && store->isSimple() ? store : nullptr;
    }
  }
  return nullptr;
}

/// True if `value` and `other` are calculated in the same way from the same values. These are available wherever the
/// blocks of both lead.
bool isSame(const Value *value, const Value *other, unsigned depth = 0) {
  if (value == other)
    return true;
  auto *instruction = dyn_cast<Instruction>(value), *otherInstruction = dyn_cast<Instruction>(other);
  return instruction && otherInstruction && depth < mostSteps &&
         isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction) && isSafeToSpeculativelyExecute(instruction) &&
         instruction->isSameOperationAs(otherInstruction) &&
         instruction->hasSameSubclassOptionalData(otherInstruction) &&
         all_of(
             zip(instruction->operands(), otherInstruction->operands()),
             [&](const auto &operands) { return isSame(std::get<0>(operands), std::get<1>(operands), depth + 1); });
}

/// `value`, or a copy of what calculates it at `before`, if it is not available there.
Value *availableAt(Value *value, Instruction &before, const DominatorTree &tree) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || tree.dominates(instruction, before.getParent()))
    return value;
  Instruction *copy = instruction->clone();
  for (Use &operand : copy->operands())
    operand.set(availableAt(operand.get(), before, tree));
  copy->insertBefore(before.getIterator());
  return copy;
}

using Stores = SmallVector<StoreInst *, 4>;

bool storesAlike(const StoreInst &store, const StoreInst &other) {
  return store.getValueOperand()->getType() == other.getValueOperand()->getType() &&
         isSame(store.getPointerOperand(), other.getPointerOperand());
}

/// The stores to one place at the ends of all blocks that lead to `block`, if there are several.
Stores storesBefore(BasicBlock &block) {
  Stores stores;
  for (BasicBlock *before : predecessors(&block)) {
    StoreInst *store = lastStoreOf(*before);
    if (!store || (!stores.empty() && !storesAlike(*stores.front(), *store)))
      return {};
    stores.push_back(store);
  }
  return stores.size() > 1 ? stores : Stores();
}

/// Replaces `stores`, at the ends of all blocks that lead to `block`, by one at its beginning.
void join(const Stores &stores, BasicBlock &block, const DominatorTree &tree) {
  PHINode *value = PHINode::Create(stores.front()->getValueOperand()->getType(), stores.size(), "joined");
  value->insertBefore(block.begin());
  auto *store = cast<StoreInst>(stores.front()->clone());
  store->insertBefore(block.getFirstInsertionPt());
  store->setOperand(0, value);
  store->setOperand(1, availableAt(store->getPointerOperand(), *store, tree));
  AAMDNodes tags = store->getAAMetadata();
  for (StoreInst *other : stores) {
    value->addIncoming(other->getValueOperand(), other->getParent());
    tags = tags.merge(other->getAAMetadata());
    store->setAlignment(std::min(store->getAlign(), other->getAlign()));
    store->applyMergedLocation(store->getDebugLoc(), other->getDebugLoc());
    other->eraseFromParent();
  }
  store->dropUnknownNonDebugMetadata();
  store->setAAMetadata(tags);
}

} // namespace

PreservedAnalyses cufort::codegen::JoinedStores::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (BasicBlock &block : function)
    for (unsigned joined = 0; joined < mostStores && !loops.isLoopHeader(&block); ++joined) {
      Stores stores = storesBefore(block);
      if (stores.empty())
        break;
      join(stores, block, tree);
      changed = true;
    }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
