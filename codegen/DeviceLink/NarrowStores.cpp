// In:   %b = bitcast double %x to i64          Out:   %l = call i32 @llvm.nvvm.d2i.lo(double %x)
//       %t = trunc i64 %b to i32                      store i32 %l
//       store i32 %t

#include "codegen/DeviceLink/NarrowStores.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

/// True if `bits` may be those of a real number.
static bool areOfReal(Value *bits, SmallPtrSetImpl<Value *> &seen) {
  if (!seen.insert(bits).second)
    return false;
  if (auto *cast = dyn_cast<BitCastOperator>(bits))
    return cast->getSrcTy()->isFloatingPointTy();
  if (auto *phi = dyn_cast<PHINode>(bits))
    return any_of(phi->incoming_values(), [&](Value *value) { return areOfReal(value, seen); });
  if (auto *select = dyn_cast<SelectInst>(bits))
    return areOfReal(select->getTrueValue(), seen) || areOfReal(select->getFalseValue(), seen);
  return false;
}

/// The low half of `bits`, an i64 or i32.
static Value *lowHalf(IRBuilder<> &builder, Value *bits) {
  if (bits->getType()->isIntegerTy(64))
    return builder.CreateIntrinsic(Intrinsic::nvvm_d2i_lo, {builder.CreateBitCast(bits, builder.getDoubleTy())});
  auto *type = FunctionType::get(builder.getInt16Ty(), {builder.getInt32Ty()}, false);
  auto *half = InlineAsm::get(type, "{ .reg .b16 high; mov.b32 {$0, high}, $1; }", "=h,r", /*hasSideEffects=*/false);
  return builder.CreateCall(half, {bits});
}

/// What `store` stores the low part of, if these may be bits of a real number; else null.
static Value *bitsOf(StoreInst &store) {
  Value *bits = store.getValueOperand();
  while (auto *trunc = dyn_cast<TruncInst>(bits))
    bits = trunc->getOperand(0);
  bool isPart =
      bits != store.getValueOperand() && (bits->getType()->isIntegerTy(64) || bits->getType()->isIntegerTy(32));
  SmallPtrSet<Value *, 8> seen;
  return isPart && areOfReal(bits, seen) ? bits : nullptr;
}

PreservedAnalyses cufort::codegen::NarrowStores::run(Function &function, FunctionAnalysisManager &) {
  PreservedAnalyses preserved = PreservedAnalyses::all();
  for (Instruction &instruction : instructions(function)) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    Value *bits = store ? bitsOf(*store) : nullptr;
    if (!bits)
      continue;
    IRBuilder<> builder(store);
    store->setOperand(0, builder.CreateTrunc(lowHalf(builder, bits), store->getValueOperand()->getType()));
    preserved = PreservedAnalyses::none();
    preserved.preserveSet<CFGAnalyses>();
  }
  return preserved;
}
