// Bits of positive real numbers, taken for signed integers, are in the order of the numbers, and above those of
// negative ones. Bits of negative numbers, taken for unsigned integers, are in the reverse order, and above those of
// positive ones. So the sign of the operand says which operation on integers finds the extreme of it and any element:
//
//   operand        greatest                 least
//   positive       signed maximum           signed minimum
//   negative       unsigned minimum         unsigned maximum
//
// Most operands change nothing where many threads look for the extreme of many numbers. A load shows it, and costs less
// than an atomic operation for which threads of the same element queue.

#include "codegen/DeviceLink/AtomicExtremes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

bool isExtremeOfReal(const Instruction &instruction) {
  auto *update = dyn_cast<AtomicRMWInst>(&instruction);
  return update && (update->getType()->isFloatTy() || update->getType()->isDoubleTy()) &&
         (update->getOperation() == AtomicRMWInst::FMax || update->getOperation() == AtomicRMWInst::FMin);
}

/// An atomic operation like `update` on integers, before `before`. Returns the element's old bits.
Value *createUpdate(AtomicRMWInst &update, AtomicRMWInst::BinOp operation, Value *bits, Instruction *before) {
  auto *result = IRBuilder<>(before).CreateAtomicRMW(operation, update.getPointerOperand(), bits, update.getAlign(),
                                                     update.getOrdering(), update.getSyncScopeID());
  result->setVolatile(update.isVolatile());
  return result;
}

/// What the element holds or, as far as other blocks write it without being waited for, has held: one of their
/// operations may come before or behind this one anyway. So the load can be from the first cache.
Value *loadBits(IRBuilder<> &builder, AtomicRMWInst &update, Type *integer) {
  LoadInst *load = builder.CreateAlignedLoad(integer, update.getPointerOperand(), update.getAlign());
  load->setAtomic(AtomicOrdering::Monotonic, update.getContext().getOrInsertSyncScopeID("block"));
  load->setVolatile(update.isVolatile());
  return load;
}

void replace(AtomicRMWInst &update) {
  bool greatest = update.getOperation() == AtomicRMWInst::FMax;
  Value *operand = update.getValOperand();
  IRBuilder<> builder(&update);
  Type *integer = builder.getIntNTy(update.getType()->getScalarSizeInBits());
  Value *bits = builder.CreateBitCast(operand, integer), *seen = loadBits(builder, update, integer);
  BasicBlock *before = update.getParent();
  auto predicate = greatest ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT;
  Value *isMore = builder.CreateFCmp(predicate, operand, builder.CreateBitCast(seen, update.getType()));
  Instruction *changes = SplitBlockAndInsertIfThen(isMore, &update, /*Unreachable=*/false);
  builder.SetInsertPoint(changes);
  Value *isNegative = builder.CreateICmpSLT(bits, ConstantInt::getNullValue(integer));

  Instruction *forNegative, *forPositive;
  SplitBlockAndInsertIfThenElse(isNegative, changes, &forNegative, &forPositive);
  Value *ofNegative = createUpdate(update, greatest ? AtomicRMWInst::UMin : AtomicRMWInst::UMax, bits, forNegative);
  Value *ofPositive = createUpdate(update, greatest ? AtomicRMWInst::Max : AtomicRMWInst::Min, bits, forPositive);
  if (!update.use_empty()) {
    PHINode *changed = PHINode::Create(integer, 2, "", changes->getParent()->begin());
    changed->addIncoming(ofNegative, forNegative->getParent());
    changed->addIncoming(ofPositive, forPositive->getParent());
    PHINode *old = PHINode::Create(integer, 2, "", update.getParent()->begin());
    old->addIncoming(changed, changes->getParent());
    old->addIncoming(seen, before);
    update.replaceAllUsesWith(CastInst::Create(Instruction::BitCast, old, update.getType(), "", update.getIterator()));
  }
  update.eraseFromParent();
}

} // namespace

PreservedAnalyses cufort::codegen::AtomicExtremes::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<AtomicRMWInst *> updates;
  for (Instruction &instruction : instructions(function))
    if (isExtremeOfReal(instruction))
      updates.push_back(cast<AtomicRMWInst>(&instruction));
  for (AtomicRMWInst *update : updates)
    replace(*update);
  return updates.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
