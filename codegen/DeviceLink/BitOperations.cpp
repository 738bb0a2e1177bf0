#include "codegen/DeviceLink/BitOperations.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Analysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// True for integers as the instructions take them.
bool isOfRegister(const Value &value) { return value.getType()->isIntegerTy(32) || value.getType()->isIntegerTy(64); }

/// Whether one bit of `value`, an integer of 32 or 64 bits, is set, or clear.
struct BitTest {
  Value *value;
  uint64_t bit;
  bool isSet;
};

/// `compare` if it says whether the highest bit that a number can have is set.
std::optional<BitTest> findTestOfHighestBit(ICmpInst &compare) {
  Value *value = compare.getOperand(0);
  const APInt *limit;
  bool isSet = compare.getPredicate() == CmpInst::ICMP_UGT;
  if (!match(compare.getOperand(1), m_APInt(limit)) || !(isSet || compare.getPredicate() == CmpInst::ICMP_ULT))
    return std::nullopt;
  APInt bit = isSet ? *limit + 1 : *limit;
  KnownBits known = computeKnownBits(value, compare.getDataLayout());
  if (!bit.isPowerOf2() || known.countMaxActiveBits() != bit.getActiveBits())
    return std::nullopt;
  return BitTest{value, bit.logBase2(), isSet};
}

std::optional<BitTest> findTest(Instruction &instruction) {
  Value *value, *shifted;
  uint64_t shift = 0;
  if (match(&instruction, m_Trunc(m_LShr(m_Value(value), m_ConstantInt(shift)))) &&
      instruction.getType()->isIntegerTy(1))
    return BitTest{value, shift, true};
  auto *compare = dyn_cast<ICmpInst>(&instruction);
  if (compare && compare->isUnsigned())
    return findTestOfHighestBit(*compare);
  const APInt *mask;
  if (!compare || !compare->isEquality() || !match(compare->getOperand(1), m_Zero()) ||
      !match(compare->getOperand(0), m_And(m_Value(value), m_Power2(mask))))
    return std::nullopt;
  if (mask->isOne() && match(value, m_LShr(m_Value(shifted), m_ConstantInt(shift))))
    value = shifted;
  return BitTest{value, mask->logBase2() + shift, compare->getPredicate() == CmpInst::ICMP_NE};
}

std::optional<BitTest> bitTest(Instruction &instruction) {
  std::optional<BitTest> test = findTest(instruction);
  if (!test || !isOfRegister(*test->value) || test->bit >= test->value->getType()->getIntegerBitWidth())
    return std::nullopt;
  return test;
}

/// Emits `test`. LLVM's code generator makes a shift and a test of bit 0 of what it sees, which ptxas leaves so.
Value *createTest(IRBuilder<> &builder, const BitTest &test) {
  Type *type = test.value->getType();
  bool isWide = type->isIntegerTy(64);
  auto *masking = InlineAsm::get(FunctionType::get(type, {type, type}, false),
                                 isWide ? "and.b64 $0, $1, $2;" : "and.b32 $0, $1, $2;", isWide ? "=l,l,n" : "=r,r,n",
                                 /*hasSideEffects=*/false);
  CallInst *masked = builder.CreateCall(
      masking, {test.value, ConstantInt::get(type, APInt::getOneBitSet(type->getIntegerBitWidth(), test.bit))});
  masked->setDoesNotAccessMemory();
  Value *zero = ConstantInt::get(type, 0);
  return test.isSet ? builder.CreateICmpNE(masked, zero) : builder.CreateICmpEQ(masked, zero);
}

/// Tests each bit once in a block; what else asks for it gets the answer or its opposite.
class BlockTests {
public:
  /// What says the same as `instruction`; null if that tests no bit.
  Value *replacementOf(Instruction &instruction) {
    std::optional<BitTest> test = bitTest(instruction);
    if (!test)
      return nullptr;
    IRBuilder<> builder(&instruction);
    auto [known, isNew] = tests.try_emplace({test->value, test->bit});
    if (!isNew)
      return known->second.isSet == test->isSet ? known->second.answer : builder.CreateNot(known->second.answer);
    known->second = {createTest(builder, *test), test->isSet};
    return known->second.answer;
  }

private:
  struct Answer {
    Value *answer;
    bool isSet;
  };
  DenseMap<std::pair<Value *, uint64_t>, Answer> tests;
};

/// The zeros below the lowest bit of `value`; all of them if it has none. The bits of 64 are counted in two halves,
/// while the first of them is looked for in one.
Value *createTrailingZeros(IRBuilder<> &builder, Value *value) {
  Value *below = builder.CreateAnd(builder.CreateNot(value),
                                   builder.CreateAdd(value, ConstantInt::getSigned(value->getType(), -1)));
  if (value->getType()->isIntegerTy(32))
    return builder.CreateUnaryIntrinsic(Intrinsic::ctpop, below);
  Value *above = builder.CreateIntrinsic(Intrinsic::ctlz, {value->getType()}, {below, builder.getTrue()});
  Value *zeros = builder.CreateSub(builder.getInt32(64), builder.CreateTrunc(above, builder.getInt32Ty()));
  return builder.CreateZExt(zeros, value->getType());
}

Value *replacementOfCount(Instruction &instruction) {
  Value *value;
  IRBuilder<> builder(&instruction);
  if (match(&instruction, m_Intrinsic<Intrinsic::cttz>(m_Value(value), m_Value())) && isOfRegister(*value))
    return createTrailingZeros(builder, value);
  // The instructions clz count all bits of zero; LLVM would branch around them.
  if (match(&instruction, m_Intrinsic<Intrinsic::ctlz>(m_Value(value), m_Zero())) && isOfRegister(*value))
    cast<CallInst>(instruction).setArgOperand(1, builder.getTrue());
  return nullptr;
}

} // namespace

PreservedAnalyses cufort::codegen::BitOperations::run(Function &function, FunctionAnalysisManager &) {
  for (BasicBlock &block : function) {
    BlockTests tests;
    for (Instruction &instruction : make_early_inc_range(block)) {
      Value *replacement = tests.replacementOf(instruction);
      if (!replacement)
        replacement = replacementOfCount(instruction);
      if (!replacement)
        continue;
      instruction.replaceAllUsesWith(replacement);
      instruction.eraseFromParent();
    }
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
