#include "codegen/DeviceLink/AbsoluteDifferences.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// True if the difference of `a` and `b` is exact: with as many bits less as it may have more.
static bool isExact(const BinaryOperator &difference) {
  const DataLayout &layout = difference.getDataLayout();
  return difference.hasNoSignedWrap() || (ComputeNumSignBits(difference.getOperand(0), layout) > 1 &&
                                          ComputeNumSignBits(difference.getOperand(1), layout) > 1);
}

/// Replaces `absolute`, and what adds it to something.
static bool join(IntrinsicInst &absolute) {
  auto *difference = dyn_cast<BinaryOperator>(absolute.getArgOperand(0));
  if (!absolute.getType()->isIntegerTy(32) || !difference || difference->getOpcode() != Instruction::Sub ||
      !isExact(*difference))
    return false;
  Instruction *result = &absolute;
  Value *added = ConstantInt::get(absolute.getType(), 0);
  if (absolute.hasOneUse() && match(absolute.user_back(), m_c_Add(m_Specific(&absolute), m_Value(added))))
    result = absolute.user_back();
  IRBuilder<> builder(result);
  result->replaceAllUsesWith(
      builder.CreateIntrinsic(Intrinsic::nvvm_sad_i, {difference->getOperand(0), difference->getOperand(1), added}));
  result->eraseFromParent();
  if (result != &absolute)
    absolute.eraseFromParent();
  if (difference->use_empty())
    difference->eraseFromParent();
  return true;
}

PreservedAnalyses cufort::codegen::AbsoluteDifferences::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<IntrinsicInst *> found;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && call->getIntrinsicID() == Intrinsic::abs)
      found.push_back(call);
  bool changed = false;
  for (IntrinsicInst *absolute : found)
    changed |= join(*absolute);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
