// In:  a: store of x to p -> join        Out: a: store of x to p, of y to p + 8 -> join
//      b: store of 0 to q -> join             b: store of 0 to q, of 0 to q + 8 -> join
//      join: store of (y from a, 0 from b)    join:
//            to (p from a, q from b) + 8

#include "codegen/DeviceLink/SeveredStores.h"
#include "codegen/DeviceLink/NeighbouringStores.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// How many branches get a store each.
constexpr unsigned mostWays = 4;

/// A place in memory: so many bytes behind `base`.
struct Place {
  Value *base;
  int64_t offset;
};

/// The place at `pointer`. If that differs from way to way into `join`, it is the one of `way`.
Place placeOf(Value *pointer, const BasicBlock &join, const BasicBlock *way) {
  const DataLayout &layout = join.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  auto strip = [&](Value *from) {
    return from->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  };
  Value *base = strip(pointer);
  if (auto *variable = dyn_cast<PHINode>(base); variable && variable->getParent() == &join)
    base = strip(variable->getIncomingValueForBlock(way));
  return {base, offset.getSExtValue()};
}

/// `value` at the end of `way` into `join`, or null if it is calculated in `join`.
Value *valueFrom(const BasicBlock *way, Value *value, const BasicBlock &join) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &join)
    return value;
  auto *variable = dyn_cast<PHINode>(instruction);
  return variable ? variable->getIncomingValueForBlock(way) : nullptr;
}

/// The store that is the last access to memory in `way`, or null.
StoreInst *lastStore(BasicBlock &way) {
  for (Instruction &instruction : reverse(way))
    if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects())
      return dyn_cast<StoreInst>(&instruction);
  return nullptr;
}

/// The first instruction of `join` that does more than calculate, if it is a store.
StoreInst *firstStore(BasicBlock &join) {
  for (Instruction &instruction : join)
    if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects())
      return dyn_cast<StoreInst>(&instruction);
  return nullptr;
}

/// True if `store`, moved to the end of `way`, continues what that has stored.
bool continues(StoreInst &store, BasicBlock &way) {
  StoreInst *before = lastStore(way);
  if (!before || !before->isSimple() || before->getPointerAddressSpace() != store.getPointerAddressSpace())
    return false;
  const DataLayout &layout = store.getDataLayout();
  int64_t size = layout.getTypeStoreSize(store.getValueOperand()->getType());
  int64_t sizeBefore = layout.getTypeStoreSize(before->getValueOperand()->getType());
  Place place = placeOf(store.getPointerOperand(), *store.getParent(), &way);
  Place placeBefore = placeOf(before->getPointerOperand(), *store.getParent(), &way);
  int64_t distance = place.offset - placeBefore.offset;
  return place.base == placeBefore.base && size == sizeBefore && size + sizeBefore <= mostStoredBytes &&
         (distance == size || distance == -size);
}

/// True if all that lead to the block of `store` could have it, and some store what lies beside it.
bool isSevered(StoreInst &store) {
  BasicBlock &join = *store.getParent();
  if (!store.isSimple() || pred_size(&join) < 2 || pred_size(&join) > mostWays)
    return false;
  return all_of(predecessors(&join),
                [&](const BasicBlock *way) {
                  Value *base = placeOf(store.getPointerOperand(), join, way).base;
                  return way != &join && way->getUniqueSuccessor() == &join && isa<BranchInst>(way->getTerminator()) &&
                         valueFrom(way, store.getValueOperand(), join) && valueFrom(way, base, join);
                }) &&
         any_of(predecessors(&join), [&](BasicBlock *way) { return continues(store, *way); });
}

void moveIntoBranches(StoreInst &store) {
  BasicBlock &join = *store.getParent();
  for (BasicBlock *way : predecessors(&join)) {
    Place place = placeOf(store.getPointerOperand(), join, way);
    IRBuilder<> builder(way->getTerminator());
    auto *copy = cast<StoreInst>(store.clone());
    copy->setOperand(0, valueFrom(way, store.getValueOperand(), join));
    copy->setOperand(1, place.offset ? builder.CreatePtrAdd(place.base, builder.getInt64(place.offset)) : place.base);
    builder.Insert(copy);
  }
  store.eraseFromParent();
}

} // namespace

PreservedAnalyses cufort::codegen::SeveredStores::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &join : function)
    for (StoreInst *store; (store = firstStore(join)) && isSevered(*store); changed = true)
      moveIntoBranches(*store);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
