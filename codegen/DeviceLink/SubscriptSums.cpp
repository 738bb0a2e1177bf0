// In:  north = j + 1, in 32 bits            Out: ... a + (sext(j) + 1) * stride ...
//      ... a + sext(north) * stride ...
//
// So it is seen that the element is a row behind that of j, and its address one addition behind that one's. A sum that
// wraps around would be the subscript of an element that no array has. (Flang says so of sums that stand in subscripts,
// not of those that variables hold: programs let random numbers wrap around.)

#include "codegen/DeviceLink/SubscriptSums.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// True if `value` is for addresses and nothing else.
static bool servesAddresses(const Value &value) {
  return all_of(value.users(), [](const User *user) {
    if (isa<GetElementPtrInst>(user))
      return true;
    auto *part = dyn_cast<BinaryOperator>(user);
    bool isPart = part && (part->getOpcode() == Instruction::Add || part->getOpcode() == Instruction::Sub ||
                           part->getOpcode() == Instruction::Mul || part->getOpcode() == Instruction::Shl);
    return isPart && servesAddresses(*part);
  });
}

PreservedAnalyses cufort::codegen::SubscriptSums::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *number;
    const APInt *constant;
    Type *wide = instruction.getType();
    auto sum = m_Add(m_Value(number), m_APInt(constant));
    if (!wide->isIntegerTy(64) || !match(&instruction, m_CombineOr(m_SExt(sum), m_NNegZExt(sum))) ||
        !number->getType()->isIntegerTy(32) || !servesAddresses(instruction))
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(
        builder.CreateNSWAdd(builder.CreateSExt(number, wide), ConstantInt::get(wide, constant->sext(64))));
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
