#include "codegen/DeviceLink/Roundings.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The conversions of one kind of number to integers of 32 and 64 bits: to the next towards zero, below, and above.
struct Conversions {
  Intrinsic::ID towardsZero[2], below[2], above[2];
};

constexpr Conversions ofSingle = {{Intrinsic::nvvm_f2i_rz, Intrinsic::nvvm_f2ll_rz},
                                  {Intrinsic::nvvm_f2i_rm, Intrinsic::nvvm_f2ll_rm},
                                  {Intrinsic::nvvm_f2i_rp, Intrinsic::nvvm_f2ll_rp}};
constexpr Conversions ofDouble = {{Intrinsic::nvvm_d2i_rz, Intrinsic::nvvm_d2ll_rz},
                                  {Intrinsic::nvvm_d2i_rm, Intrinsic::nvvm_d2ll_rm},
                                  {Intrinsic::nvvm_d2i_rp, Intrinsic::nvvm_d2ll_rp}};

bool isOfRegister(const Type *type) { return type->isFloatTy() || type->isDoubleTy(); }

/// What replaces `conversion`, an llvm.fptosi.sat; null if it stays.
Value *createConversion(IntrinsicInst &conversion) {
  Value *number = conversion.getArgOperand(0), *rounded;
  Type *result = conversion.getType();
  if (!isOfRegister(number->getType()) || !(result->isIntegerTy(32) || result->isIntegerTy(64)))
    return nullptr;
  const Conversions &conversions = number->getType()->isFloatTy() ? ofSingle : ofDouble;
  const Intrinsic::ID *ids = conversions.towardsZero;
  if (match(number, m_OneUse(m_Intrinsic<Intrinsic::floor>(m_Value(rounded))))) {
    ids = conversions.below;
    number = rounded;
  } else if (match(number, m_OneUse(m_Intrinsic<Intrinsic::ceil>(m_Value(rounded))))) {
    ids = conversions.above;
    number = rounded;
  } else if (match(number, m_Intrinsic<Intrinsic::trunc>(m_Value(rounded)))) {
    number = rounded;
  }
  return IRBuilder<>(&conversion).CreateIntrinsic(ids[result->isIntegerTy(64)], {number});
}

/// The nearest whole number to the operand of `round`, of two the one away from zero: the whole part of a sum with a
/// half that is rounded towards zero, so that what is just below a half stays below.
Value *createRounding(IntrinsicInst &round) {
  Value *number = round.getArgOperand(0);
  if (!isOfRegister(number->getType()))
    return nullptr;
  IRBuilder<> builder(&round);
  Intrinsic::ID add = number->getType()->isFloatTy() ? Intrinsic::nvvm_add_rz_f : Intrinsic::nvvm_add_rz_d;
  Value *half = builder.CreateCopySign(ConstantFP::get(number->getType(), 0.5), number);
  return builder.CreateUnaryIntrinsic(Intrinsic::trunc, builder.CreateIntrinsic(add, {number, half}));
}

Value *replacementOf(Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!intrinsic)
    return nullptr;
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::fptosi_sat:
    return createConversion(*intrinsic);
  case Intrinsic::round:
    return createRounding(*intrinsic);
  default:
    return nullptr;
  }
}

} // namespace

PreservedAnalyses cufort::codegen::Roundings::run(Function &function, FunctionAnalysisManager &) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (Value *replacement = replacementOf(instruction)) {
        instruction.replaceAllUsesWith(replacement);
        instruction.eraseFromParent();
      }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
