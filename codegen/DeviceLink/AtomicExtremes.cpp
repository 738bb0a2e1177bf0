// Bits of positive real numbers, taken for signed integers, are in the order of the numbers, and above those of negative
// ones. Bits of negative numbers, taken for unsigned integers, are in the reverse order, and above those of positive
// ones. So the sign of the operand says which operation on integers finds the extreme of it and any element:
//
//   operand        greatest                 least
//   positive       signed maximum           signed minimum
//   negative       unsigned minimum         unsigned maximum
//
// What is not a number takes the place of a negative operand, with bits that lose against all others.

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
  auto *result = IRBuilder<>(before).CreateAtomicRMW(operation, update.getPointerOperand(), bits,
                                                     update.getAlign(), update.getOrdering(), update.getSyncScopeID());
  result->setVolatile(update.isVolatile());
  return result;
}

void replace(AtomicRMWInst &update) {
  bool greatest = update.getOperation() == AtomicRMWInst::FMax;
  Value *operand = update.getValOperand();
  IRBuilder<> builder(&update);
  Type *integer = builder.getIntNTy(update.getType()->getScalarSizeInBits());
  Constant *zero = ConstantInt::getNullValue(integer), *ones = ConstantInt::getAllOnesValue(integer);
  Value *bits = builder.CreateBitCast(operand, integer);
  Value *isNoNumber = builder.CreateFCmpUNO(operand, operand);
  Value *isNegative = builder.CreateOr(isNoNumber, builder.CreateICmpSLT(bits, zero));
  Value *ofNegative = builder.CreateSelect(isNoNumber, greatest ? ones : zero, bits);

  Instruction *forNegative, *forPositive;
  SplitBlockAndInsertIfThenElse(isNegative, &update, &forNegative, &forPositive);
  Value *olds[] = {
      createUpdate(update, greatest ? AtomicRMWInst::UMin : AtomicRMWInst::UMax, ofNegative, forNegative),
      createUpdate(update, greatest ? AtomicRMWInst::Max : AtomicRMWInst::Min, bits, forPositive)};
  if (!update.use_empty()) {
    builder.SetInsertPoint(&update.getParent()->front());
    PHINode *old = builder.CreatePHI(integer, 2);
    old->addIncoming(olds[0], forNegative->getParent());
    old->addIncoming(olds[1], forPositive->getParent());
    builder.SetInsertPoint(&update);
    update.replaceAllUsesWith(builder.CreateBitCast(old, update.getType()));
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
