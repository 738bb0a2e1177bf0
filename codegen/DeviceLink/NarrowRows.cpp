// In:  (zext(j) - 2) * zext(n), where j is known to be 2 or more     Out: zext(j - 2) * zext(n)
//      (sext(j) - 1) * zext(n), where n is less than 2**31                the product of j - 1 and n, in 64 bits
//
// The product of two numbers of 32 bits is one instruction; of two numbers of 64 bits it is three, and the subtraction
// two.

#include "codegen/DeviceLink/NarrowRows.h"
#include "codegen/DeviceLink/WideProduct.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

/// `value` as a number of 32 bits that has been extended, else null.
static CastInst *extended(Value *value) {
  auto *cast = dyn_cast<CastInst>(value);
  return cast && isa<ZExtInst, SExtInst>(cast) && cast->getSrcTy()->isIntegerTy(32) ? cast : nullptr;
}

/// The number that `row` is before, if it is such a difference with all its users products; else null.
static CastInst *numberBefore(const BinaryOperator &row, const APInt *&distance) {
  Value *number;
  auto isProduct = [](const User *user) { return match(user, m_c_Mul(m_Value(), m_ZExt(m_Value()))); };
  if (!row.getType()->isIntegerTy(64) || !match(&row, m_Add(m_Value(number), m_APInt(distance))) ||
      !distance->isNegative() || !distance->isSignedIntN(32) || !all_of(row.users(), isProduct))
    return nullptr;
  return extended(number);
}

static bool narrow(BinaryOperator &row, ScalarEvolution &evolution) {
  const APInt *distance;
  CastInst *cast = numberBefore(row, distance);
  if (!cast)
    return false;
  Value *number = cast->getOperand(0);
  APInt least = (-*distance).trunc(32);
  auto predicate = isa<ZExtInst>(cast) ? ICmpInst::ICMP_UGE : ICmpInst::ICMP_SGE;
  if (!evolution.isKnownPredicateAt(predicate, evolution.getSCEV(number), evolution.getConstant(least), &row))
    return false;
  IRBuilder<> builder(&row);
  Value *difference = builder.CreateSub(number, builder.getInt(least), "", /*HasNUW=*/true);
  row.replaceAllUsesWith(builder.CreateZExt(difference, row.getType()));
  evolution.forgetValue(&row);
  row.eraseFromParent();
  return true;
}

/// True if `cast` extends with zeros what is not negative.
static bool isNonNegative(const CastInst &cast) {
  return isa<ZExtInst>(cast) && (cast.hasNonNeg() || isKnownNonNegative(cast.getOperand(0), cast.getDataLayout()));
}

namespace {

/// An extended number that has been moved by a short distance.
struct Row {
  CastInst *number;
  int64_t distance;
};

} // namespace

/// True if addresses are all that `value` is used for.
static bool isInAddresses(const Value &value, unsigned depth = 0) {
  constexpr unsigned mostOperations = 6;
  return depth < mostOperations && all_of(value.users(), [&](const User *user) {
           auto *operation = dyn_cast<BinaryOperator>(user);
           return isa<GetElementPtrInst>(user) || (operation && isInAddresses(*operation, depth + 1));
         });
}

/// `value` as a row whose signed 32 bits are enough for `product`. A number with a sign may be any, and moved beyond 32
/// bits, unless it is a subscript: those are as far from the ends of 32 bits as arrays are smaller than memory.
static std::optional<Row> signedRow(Value *value, const BinaryOperator &product) {
  const APInt *distance = nullptr;
  Value *moved;
  // A match that fails has set `moved` all the same: to one of two numbers that are added.
  bool isMoved = match(value, m_Add(m_Value(moved), m_APInt(distance)));
  if (isMoved && !distance->isSignedIntN(16))
    return std::nullopt;
  CastInst *cast = extended(isMoved ? moved : value);
  if (!cast || (isa<ZExtInst>(cast) && !(distance && distance->isNegative() && isNonNegative(*cast))) ||
      (isa<SExtInst>(cast) && distance && !isInAddresses(product)))
    return std::nullopt;
  return Row{cast, distance ? distance->getSExtValue() : 0};
}

/// True if `condition`, where it holds, says that `number` is more than what is not negative.
static bool saysPositive(Value *condition, Value *number, const DataLayout &layout) {
  Value *left, *right;
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return saysPositive(left, number, layout) || saysPositive(right, number, layout);
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare)
    return false;
  bool isLess = compare->getPredicate() == ICmpInst::ICMP_SLT;
  if (!isLess && compare->getPredicate() != ICmpInst::ICMP_SGT)
    return false;
  return compare->getOperand(isLess ? 1 : 0) == number &&
         isKnownNonNegative(compare->getOperand(isLess ? 0 : 1), layout);
}

/// True if `place` is reached only where `number` is positive, as extents are where a thread has its place in a row.
static bool isPositiveAt(const BasicBlock &place, Value *number, const DominatorTree &tree) {
  for (const DomTreeNode *node = tree.getNode(&place); node && node->getIDom(); node = node->getIDom()) {
    const BasicBlock *before = node->getIDom()->getBlock();
    const auto *branch = dyn_cast<BranchInst>(before->getTerminator());
    if (branch && branch->isConditional() && saysPositive(branch->getCondition(), number, place.getDataLayout()) &&
        tree.dominates(BasicBlockEdge(before, branch->getSuccessor(0)), node->getBlock()))
      return true;
  }
  return false;
}

/// The number of 32 bits that `value` extends, if it is known not to be negative where `product` is; else null.
static Value *factorOf(Value *value, const BinaryOperator &product, const DominatorTree &tree) {
  CastInst *factor = extended(value);
  if (!factor)
    return nullptr;
  Value *number = factor->getOperand(0);
  return isNonNegative(*factor) || isPositiveAt(*product.getParent(), number, tree) ? number : nullptr;
}

/// Multiplies in 32 bits if `product` is that of such a row and of a number of 32 bits that is not negative.
static bool multiply(BinaryOperator &product, const DominatorTree &tree) {
  if (product.getOpcode() != Instruction::Mul || !product.getType()->isIntegerTy(64))
    return false;
  for (unsigned side : {0, 1}) {
    std::optional<Row> row = signedRow(product.getOperand(side), product);
    Value *factor = row ? factorOf(product.getOperand(1 - side), product, tree) : nullptr;
    if (!factor)
      continue;
    IRBuilder<> builder(&product);
    Value *number = row->number->getOperand(0);
    if (row->distance)
      number = builder.CreateAdd(number, builder.getInt32(row->distance));
    product.replaceAllUsesWith(createWideProduct(builder, number, factor, /*isSigned=*/true));
    RecursivelyDeleteTriviallyDeadInstructions(&product);
    return true;
  }
  return false;
}

PreservedAnalyses NarrowRows::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  SmallVector<WeakVH> operators;
  for (Instruction &instruction : instructions(function))
    if (isa<BinaryOperator>(instruction))
      operators.push_back(&instruction);
  for (const WeakVH &row : operators)
    if (row)
      changed |= narrow(cast<BinaryOperator>(*row), evolution);
  for (const WeakVH &product : operators)
    if (product)
      changed |= multiply(cast<BinaryOperator>(*product), tree);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
