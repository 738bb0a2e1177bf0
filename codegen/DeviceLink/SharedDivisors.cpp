// ptxas makes of a / b the instructions
//
//   r = about 1 / b; r improved until all but its last bit is right
//   q = a * r; rest = a - q * b; q = q + rest * r
//   if (a, b or q is so large or small that this may be wrong) q = call of a function
//
// for each division anew, also if b is the same. Here r is computed once. Divisions of one block that are not computed
// from each other also share the condition and what follows it, which are divisions as before. For real(8) the
// condition is as ptxas has it, where b counts once, in r. For real(4) ptxas has an instruction for it; here a and b
// must have exponents that leave room for everything between.

#include "codegen/DeviceLink/SharedDivisors.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

/// Divisions that share the decision whether their quotients are right. What they divide is in registers until it has
/// been decided, and with three or four kernels take more registers than with divisions by themselves.
constexpr size_t mostTogether = 2;

bool isRounded(const Instruction &instruction) {
  Type *type = instruction.getType();
  return instruction.getOpcode() == Instruction::FDiv && (type->isDoubleTy() || type->isFloatTy()) &&
         !isa<Constant>(instruction.getOperand(0)) && !instruction.hasApproxFunc() && !instruction.hasAllowReciprocal();
}

/// How divisions of one type are made of multiplications.
class Arithmetic {
public:
  explicit Arithmetic(Type *type) : type(type), isDouble(type->isDoubleTy()) {}

  /// True if two divisions in a row pay for a reciprocal. With comparisons of exponents those of real(4) are as long.
  bool paysForTwo() const { return isDouble; }

  /// Emits 1 / `divisor`, or not a number if quotients might be wrong whatever is divided.
  Value *emitReciprocal(IRBuilder<> &builder, Value *divisor) const {
    Value *approximate = emitApproximation(builder, divisor);
    Value *minus = builder.CreateFNeg(divisor), *one = ConstantFP::get(type, 1);
    Value *error = emitFma(builder, approximate, minus, one);
    if (isDouble)
      error = emitFma(builder, error, error, error);
    Value *better = emitFma(builder, approximate, error, approximate);
    if (isDouble)
      better = emitFma(builder, better, emitFma(builder, better, minus, one), better);
    return builder.CreateSelect(emitIsUsual(builder, divisor), better, ConstantFP::getNaN(type), "reciprocal");
  }

  /// The reciprocal of a constant, or null if it has none that quotients are right with.
  Constant *reciprocalOf(const ConstantFP &divisor) const {
    const APFloat &value = divisor.getValueAPF();
    int exponent = ilogb(value);
    int most = isDouble ? 900 : 40;
    if (!value.isFiniteNonZero() || exponent < -most || exponent > most)
      return nullptr;
    APFloat reciprocal(value.getSemantics(), 1);
    reciprocal.divide(value, APFloat::rmNearestTiesToEven);
    return ConstantFP::get(type->getContext(), reciprocal);
  }

  Value *emitQuotient(IRBuilder<> &builder, Value *number, Value *divisor, Value *reciprocal) const {
    Value *first = emitProduct(builder, number, reciprocal);
    Value *rest = emitFma(builder, first, builder.CreateFNeg(divisor), number);
    return emitFma(builder, reciprocal, rest, first);
  }

  /// Emits whether `quotient` of `number` is right.
  Value *emitIsRight(IRBuilder<> &builder, Value *number, Value *quotient) const {
    if (isDouble)
      return builder.CreateAnd(builder.CreateFCmpUGE(emitUpper(builder, number), single(builder, 0x03600000)),
                               builder.CreateFCmpOGT(emitUpper(builder, quotient), single(builder, 0x00100000)));
    return builder.CreateAnd(builder.CreateFCmpUGE(emitSize(builder, number), power(builder, -80)),
                             builder.CreateFCmpOLE(emitSize(builder, quotient), power(builder, 124)));
  }

private:
  static Value *emitFma(IRBuilder<> &builder, Value *a, Value *b, Value *c) {
    return builder.CreateIntrinsic(Intrinsic::fma, {a->getType()}, {a, b, c});
  }

  /// A product that is not joined with additions.
  Value *emitProduct(IRBuilder<> &builder, Value *a, Value *b) const {
    Intrinsic::ID multiply = isDouble ? Intrinsic::nvvm_mul_rn_d : Intrinsic::nvvm_mul_rn_f;
    return builder.CreateIntrinsic(multiply, {a, b});
  }

  /// Emits about 1 / `divisor`: for real(8) what the instruction says, with a last bit as ptxas sets it.
  Value *emitApproximation(IRBuilder<> &builder, Value *divisor) const {
    if (!isDouble)
      return builder.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f, {divisor});
    Value *upper = builder.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_d, {divisor});
    Value *bits = builder.CreateOr(builder.CreateBitCast(upper, builder.getInt64Ty()), 1);
    return builder.CreateBitCast(bits, type);
  }

  /// Emits whether quotients by `divisor` may be right.
  Value *emitIsUsual(IRBuilder<> &builder, Value *divisor) const {
    if (isDouble)
      return builder.CreateFCmpOLT(emitUpper(builder, divisor), ConstantFP::getInfinity(builder.getFloatTy()));
    Value *size = emitSize(builder, divisor);
    return builder.CreateAnd(builder.CreateFCmpOGE(size, power(builder, -100)),
                             builder.CreateFCmpOLE(size, power(builder, 44)));
  }

  /// Emits the upper half of a real(8) number without its sign, as a real(4) number: a larger one is larger.
  static Value *emitUpper(IRBuilder<> &builder, Value *number) {
    Value *bits = builder.CreateLShr(builder.CreateBitCast(number, builder.getInt64Ty()), 32);
    Value *upper = builder.CreateTrunc(bits, builder.getInt32Ty());
    return emitSize(builder, builder.CreateBitCast(upper, builder.getFloatTy()));
  }

  /// Emits `number` without its sign, which is part of a comparison then; LLVM would mask bits of what was an integer.
  static Value *emitSize(IRBuilder<> &builder, Value *number) {
    return builder.CreateIntrinsic(Intrinsic::nvvm_fabs, {number->getType()}, {number});
  }

  static Constant *single(IRBuilder<> &builder, uint32_t bits) {
    return ConstantFP::get(builder.getContext(), APFloat(APFloat::IEEEsingle(), APInt(32, bits)));
  }

  static Constant *power(IRBuilder<> &builder, int exponent) { return single(builder, (127 + exponent) << 23); }

  Type *type;
  bool isDouble;
};

/// Divisions by one number in one block, in its order, of which none is computed from another.
using Group = SmallVector<Instruction *, mostTogether>;

class Divisions {
public:
  Divisions(DominatorTree &tree, LoopInfo &loops)
      : loops(loops), updater(tree, DomTreeUpdater::UpdateStrategy::Eager) {}

  bool runOn(Function &function) {
    SmallVector<Group> groups;
    for (BasicBlock &block : function)
      append_range(groups, groupsOf(block));
    bool changed = false;
    for (const Group &group : groups)
      if (Value *reciprocal = reciprocalFor(group)) {
        divide(group, *reciprocal);
        changed = true;
      }
    return changed;
  }

private:
  static SmallVector<Group> groupsOf(BasicBlock &block) {
    SmallVector<Group> groups;
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (!isRounded(instruction))
        continue;
      auto joins = [&](const Group &group) {
        return group.front()->getOperand(1) == instruction.getOperand(1) && group.size() < mostTogether &&
               moveBefore(instruction, *group.front());
      };
      if (auto found = find_if(groups, joins); found != groups.end())
        found->push_back(&instruction);
      else
        groups.push_back({&instruction});
    }
    return groups;
  }

  /// Moves what `division` divides to before `first`, if possible.
  static bool moveBefore(const Instruction &division, Instruction &first) {
    SmallSetVector<Value *, 16> needed;
    needed.insert(division.getOperand(0));
    SmallVector<Instruction *> moved;
    for (size_t next = 0; next < needed.size(); ++next) {
      auto *instruction = dyn_cast<Instruction>(needed[next]);
      if (!instruction || instruction->getParent() != first.getParent() || instruction->comesBefore(&first))
        continue;
      if (isa<PHINode>(instruction) || instruction->getOpcode() == Instruction::FDiv ||
          instruction->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(instruction))
        return false;
      moved.push_back(instruction);
      needed.insert(instruction->op_begin(), instruction->op_end());
    }
    sort(moved, [](Instruction *a, Instruction *b) { return a->comesBefore(b); });
    for (Instruction *instruction : moved)
      instruction->moveBefore(first.getIterator());
    return true;
  }

  /// The reciprocal to compute `group` with, or null if it pays for none. It is computed before loops in which it does
  /// not change, and right before the group otherwise: it takes registers from there on.
  Value *reciprocalFor(const Group &group) {
    Instruction *first = group.front();
    Value *divisor = first->getOperand(1);
    Arithmetic arithmetic(divisor->getType());
    if (auto *constant = dyn_cast<ConstantFP>(divisor))
      return arithmetic.reciprocalOf(*constant);
    if (Value *known = knownReciprocal(*divisor, *first))
      return known;
    Instruction *place = placeOfReciprocal(*divisor, *first);
    if (place == first && (group.size() == 1 || !arithmetic.paysForTwo()))
      return nullptr;
    IRBuilder<> builder(place);
    Value *reciprocal = arithmetic.emitReciprocal(builder, divisor);
    if (auto *instruction = dyn_cast<Instruction>(reciprocal))
      reciprocals[divisor].push_back(instruction);
    return reciprocal;
  }

  /// One that has been computed in the straight code before `division`, or before a loop around it.
  Value *knownReciprocal(Value &divisor, Instruction &division) {
    for (Instruction *reciprocal : reciprocals.lookup(&divisor))
      if (updater.getDomTree().dominates(reciprocal, &division))
        return reciprocal;
    return nullptr;
  }

  /// Before which instruction the reciprocal of `divisor` is computed: `division`, or the end of what leads to loops.
  Instruction *placeOfReciprocal(Value &divisor, Instruction &division) const {
    Instruction *place = &division;
    for (Loop *loop = loops.getLoopFor(division.getParent()); loop; loop = loop->getParentLoop()) {
      if (!loop->isLoopInvariant(&divisor) || !loop->getLoopPreheader())
        break;
      place = loop->getLoopPreheader()->getTerminator();
    }
    return place;
  }

  /// Replaces the divisions of `group`, which can all be computed before the first.
  void divide(const Group &group, Value &reciprocal) {
    Instruction *first = group.front();
    Arithmetic arithmetic(first->getType());
    IRBuilder<> builder(first);
    SmallVector<Value *> quotients;
    Value *areRight = builder.getTrue();
    for (Instruction *division : group) {
      Value *number = division->getOperand(0);
      quotients.push_back(arithmetic.emitQuotient(builder, number, division->getOperand(1), &reciprocal));
      areRight = builder.CreateAnd(areRight, arithmetic.emitIsRight(builder, number, quotients.back()));
    }
    BasicBlock *head = first->getParent();
    MDNode *weights = MDBuilder(first->getContext()).createUnlikelyBranchWeights();
    Instruction *end = SplitBlockAndInsertIfThen(builder.CreateNot(areRight), first->getIterator(),
                                                 /*Unreachable=*/false, weights, &updater, &loops);
    BasicBlock *tail = first->getParent();
    for (auto [division, quotient] : zip(group, quotients)) {
      PHINode *result = PHINode::Create(quotient->getType(), 2, "", tail->begin());
      result->takeName(division);
      division->replaceAllUsesWith(result);
      division->moveBefore(end->getIterator());
      result->addIncoming(quotient, head);
      result->addIncoming(division, end->getParent());
    }
  }

  LoopInfo &loops;
  DomTreeUpdater updater;
  DenseMap<Value *, SmallVector<Instruction *, 2>> reciprocals; ///< by divisor
};

} // namespace

PreservedAnalyses cufort::codegen::SharedDivisors::run(Function &function, FunctionAnalysisManager &analyses) {
  Divisions divisions(analyses.getResult<DominatorTreeAnalysis>(function), analyses.getResult<LoopAnalysis>(function));
  return divisions.runOn(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
