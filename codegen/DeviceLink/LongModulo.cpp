// In:  modulo(x, n) in 64 bits
// Out: if (0 <= x < n) x
//      else if (x and n have 32 bits) the remainder in 32 bits
//      else modulo(x, n)
//
// Programs take MODULO for places in periodic arrays and rings: nearly all are within the period as they are. A
// division takes some 20 instructions in 32 bits, and 70 in 64; LLVM tells the two apart by itself, but corrects the
// sign behind both, which only the long one can have.

#include "codegen/DeviceLink/LongModulo.h"
#include "codegen/DeviceLink/Modulo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

struct Modulo {
  Instruction *result;
  BinaryOperator *remainder;
};

/// Where `value` is known from, an argument or constant from the beginning on.
BasicBlock::iterator behind(Value *value, Function &function) {
  auto *definition = dyn_cast<Instruction>(value);
  std::optional<BasicBlock::iterator> place = definition ? definition->getInsertionPointAfterDef() : std::nullopt;
  return place ? *place : function.getEntryBlock().getFirstInsertionPt();
}

/// Emits before `modulo` what takes its place for numbers of 32 bits.
Value *emitShort(IRBuilder<> &builder, Value *place, Value *period) {
  Type *narrow = builder.getInt32Ty();
  Value *remainder = builder.CreateURem(builder.CreateTrunc(place, narrow), builder.CreateTrunc(period, narrow));
  return builder.CreateZExt(remainder, place->getType());
}

void expand(const Modulo &modulo, Function &function) {
  Value *place = modulo.remainder->getOperand(0), *period = modulo.remainder->getOperand(1);
  // What is the same for all rounds of a loop is computed before it.
  IRBuilder<> builder(function.getContext());
  builder.SetInsertPoint(behind(period, function));
  Value *zero = builder.getInt64(0);
  Value *end = builder.CreateSelect(builder.CreateICmpSGT(period, zero), period, zero, "period.end");

  builder.SetInsertPoint(modulo.result);
  BasicBlock *within = modulo.result->getParent();
  Value *isOutside = builder.CreateICmpUGE(place, end);
  Instruction *outside = SplitBlockAndInsertIfThen(isOutside, modulo.result, /*Unreachable=*/false);
  builder.SetInsertPoint(outside);
  Value *isShort = builder.CreateICmpULE(builder.CreateOr(place, period), builder.getInt64(UINT32_MAX));
  Instruction *narrow, *wide;
  SplitBlockAndInsertIfThenElse(isShort, outside, &narrow, &wide);
  builder.SetInsertPoint(narrow);
  Value *ofShort = emitShort(builder, place, period);
  builder.SetInsertPoint(wide);
  Value *remainder = builder.CreateSRem(place, period);
  Value *isOfOtherSign = builder.CreateAnd(builder.CreateICmpNE(remainder, zero),
                                           builder.CreateICmpSLT(builder.CreateXor(place, period), zero));
  Value *ofLong = builder.CreateAdd(remainder, builder.CreateSelect(isOfOtherSign, period, zero));

  builder.SetInsertPoint(outside);
  PHINode *divided = builder.CreatePHI(place->getType(), 2);
  divided->addIncoming(ofShort, narrow->getParent());
  divided->addIncoming(ofLong, wide->getParent());
  builder.SetInsertPoint(modulo.result->getParent(), modulo.result->getParent()->begin());
  PHINode *result = builder.CreatePHI(place->getType(), 2);
  result->addIncoming(place, within);
  result->addIncoming(divided, divided->getParent());
  modulo.result->replaceAllUsesWith(result);
  RecursivelyDeleteTriviallyDeadInstructions(modulo.result);
}

} // namespace

PreservedAnalyses cufort::codegen::LongModulo::run(Function &function, FunctionAnalysisManager &) {
  bool changed = gatherModulo(function);
  SmallVector<Modulo> found;
  for (Instruction &instruction : instructions(function))
    if (BinaryOperator *remainder = remainderInModulo(instruction);
        remainder && remainder->getType()->isIntegerTy(64) && !isa<Constant>(remainder->getOperand(1)))
      found.push_back({&instruction, remainder});
  for (const Modulo &modulo : found)
    expand(modulo, function);
  return found.empty() && !changed ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
