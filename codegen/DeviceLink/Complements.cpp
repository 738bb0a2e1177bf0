// In:  x + 8 * sext(d xor -2), d a multiple of 2     Out: x + 8 * (-2 - zext(d))
//
// For c = -1 - m and a number d without the bits of m, d xor c is the complement of d + m, which is c - d. In 64 bits
// the difference does not overflow if d is not negative.

#include "codegen/DeviceLink/Complements.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The difference in 64 bits that `extended`, which extends an exclusive or, is; null if it is none.
static Value *differenceOf(Instruction &extended) {
  Value *number;
  const APInt *mask;
  const DataLayout &layout = extended.getDataLayout();
  if (!match(extended.getOperand(0), m_Xor(m_Value(number), m_Negative(mask))) ||
      !MaskedValueIsZero(number, ~*mask, layout) || !isKnownNonNegative(number, layout))
    return nullptr;
  IRBuilder<> builder(&extended);
  Value *wide = builder.CreateZExt(number, extended.getType(), "", /*IsNonNeg=*/true);
  Value *limit = ConstantInt::getSigned(extended.getType(), mask->getSExtValue());
  return builder.CreateSub(limit, wide, "", /*HasNUW=*/false, /*HasNSW=*/true);
}

PreservedAnalyses cufort::codegen::Complements::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<Instruction *> replaced;
  for (Instruction &instruction : instructions(function))
    if (isa<SExtInst>(instruction) && instruction.getType()->isIntegerTy(64))
      if (Value *difference = differenceOf(instruction)) {
        instruction.replaceAllUsesWith(difference);
        replaced.push_back(&instruction);
      }
  for (Instruction *each : replaced)
    RecursivelyDeleteTriviallyDeadInstructions(each);
  if (replaced.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
