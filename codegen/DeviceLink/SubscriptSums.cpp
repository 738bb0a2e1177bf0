// In:  north = j + 1, in 32 bits            Out: ... a + (sext(j) + 1) * stride ...
//      ... a + sext(north) * stride ...
//
// So it is seen that the element is a row behind that of j, and its address one addition behind that one's. A sum that
// wraps around would be the subscript of an element that no array has. (Flang says so of sums that stand in subscripts,
// not of those that variables hold: programs let random numbers wrap around.)

#include "codegen/DeviceLink/SubscriptSums.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

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

/// `value` without a constant that is added to it.
static const Value *withoutConstant(const Value *value) {
  const Value *number;
  return match(value, m_Add(m_Value(number), m_ConstantInt())) ? number : value;
}

/// True if `value`, or a sum with it, is multiplied by the distance of elements or rows.
static bool isMultiplied(const Value &value) {
  return any_of(value.users(), [](const User *user) {
    if (match(user, m_Mul(m_Value(), m_Value())))
      return !isa<Constant>(user->getOperand(1));
    return match(user, m_Add(m_Value(), m_ConstantInt())) && isMultiplied(*user);
  });
}

/// How many extensions there are of each number, and of its sums with constants.
static DenseMap<const Value *, unsigned> countExtensions(Function &function) {
  DenseMap<const Value *, unsigned> counts;
  for (const Instruction &instruction : instructions(function))
    if (isa<SExtInst, ZExtInst>(instruction))
      ++counts[withoutConstant(instruction.getOperand(0))];
  return counts;
}

/// Widens sums in subscripts, those of `function` that `isChosen` takes by their first part and extension. Returns
/// whether there were any.
static bool widenSums(Function &function, function_ref<bool(const Value *, const Instruction &)> isChosen,
                      function_ref<Value *(IRBuilder<> &, Value *, Type *)> extend) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *number;
    const APInt *constant;
    Type *wide = instruction.getType();
    auto sum = m_Add(m_Value(number), m_APInt(constant));
    if (!wide->isIntegerTy(64) || !match(&instruction, m_CombineOr(m_SExt(sum), m_NNegZExt(sum))) ||
        !number->getType()->isIntegerTy(32) || !servesAddresses(instruction) || !isChosen(number, instruction))
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(
        builder.CreateNSWAdd(extend(builder, number, wide), ConstantInt::get(wide, constant->sext(64))));
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

PreservedAnalyses cufort::codegen::SubscriptSums::run(Function &function, FunctionAnalysisManager &) {
  auto extend = [](IRBuilder<> &builder, Value *number, Type *wide) { return builder.CreateSExt(number, wide); };
  if (!widenSums(
          function, [](const Value *, const Instruction &) { return true; }, extend))
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses cufort::codegen::NeighbourSums::run(Function &function, FunctionAnalysisManager &analyses) {
  const DenseMap<const Value *, unsigned> extensions = countExtensions(function);
  // As InstCombine has made the other extensions of the number, so that they are seen to be the same.
  auto extend = [&](IRBuilder<> &builder, Value *number, Type *wide) {
    return isKnownNonNegative(number, function.getDataLayout())
               ? builder.CreateZExt(number, wide, "", /*IsNonNeg=*/true)
               : builder.CreateSExt(number, wide);
  };
  auto isChosen = [&](const Value *number, const Instruction &extension) {
    return extensions.lookup(number) > 1 && isMultiplied(extension);
  };
  if (!widenSums(function, isChosen, extend))
    return PreservedAnalyses::all();
  analyses.invalidate(function, PreservedAnalyses::none());
  FunctionPassManager joining;
  // Before InstCombine, which takes a sum with the only extension of a number back into 32 bits.
  joining.addPass(EarlyCSEPass());
  joining.addPass(InstCombinePass());
  joining.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  return joining.run(function, analyses);
}

PreservedAnalyses cufort::codegen::UnrolledSums::run(Function &function, FunctionAnalysisManager &analyses) {
  const DenseMap<const Value *, unsigned> extensions = countExtensions(function);
  auto extend = [](IRBuilder<> &builder, Value *number, Type *wide) { return builder.CreateSExt(number, wide); };
  auto isChosen = [&](const Value *number, const Instruction &) { return extensions.lookup(number) > 1; };
  if (!widenSums(function, isChosen, extend))
    return PreservedAnalyses::all();
  analyses.invalidate(function, PreservedAnalyses::none());
  FunctionPassManager joining;
  joining.addPass(EarlyCSEPass());
  return joining.run(function, analyses);
}
