// In:  row = zext(j) * zext(n)                Out: row = zext(j) * zext(n)
//      ... a + 8 * (row + zext(i)) ...             ... a + 8 * (row + zext(i)) ...
//      a loop                                      a loop
//      store at y + 8 * (row + zext(i))            store at y + (products of j and n, and of i and 8, in 64 bits)
//
// Registers that only wait for the loop to end are ones that ptxas lacks for loads: it keeps fewer of them under way so
// as not to need more registers than a full multiprocessor has for a thread, or needs more. The products are one
// instruction each, with the base of the array and its extents from constant memory.

#include "codegen/DeviceLink/RepeatedPlaces.h"
#include "codegen/DeviceLink/WideProduct.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// How many operations may be repeated for one place.
constexpr unsigned mostOperations = 6;

/// True if `a` and `b` are the same value, or computed alike from the same ones.
bool isSame(const Value *a, const Value *b, unsigned depth = 0) {
  auto *first = dyn_cast<Instruction>(a), *second = dyn_cast<Instruction>(b);
  if (a == b || !first || !second)
    return a == b;
  if (depth == mostOperations || !first->isSameOperationAs(second) || !isa<BinaryOperator, CastInst>(first))
    return false;
  return all_of(zip(first->operands(), second->operands()),
                [&](const auto &pair) { return isSame(std::get<0>(pair), std::get<1>(pair), depth + 1); });
}

/// `value`, or what it is wherever its block is come to from. LLVM makes such a variable of what is computed before a
/// loop and behind it, if the loop may be passed by.
Value &seenThrough(Value &value) {
  auto *phi = dyn_cast<PHINode>(&value);
  Value *first = phi ? phi->getIncomingValue(0) : nullptr;
  return phi && all_of(phi->incoming_values(), [&](Value *in) { return isSame(in, first); }) ? *first : value;
}

/// The number of 32 bits that `value` is, in 64 bits, or null.
Value *narrowed(Value &value) {
  auto *cast = dyn_cast<CastInst>(&seenThrough(value));
  return cast && isa<ZExtInst, SExtInst>(cast) && cast->getSrcTy()->isIntegerTy(32) ? cast->getOperand(0) : nullptr;
}

bool isSigned(Value &value) { return isa<SExtInst>(seenThrough(value)); }

/// True if `loop` needs `value` itself: a constant distance from it is no value of its own.
bool isUsedIn(const Loop &loop, const Instruction &value) {
  return any_of(value.users(), [&](const User *user) {
    auto *instruction = cast<Instruction>(user);
    auto *address = dyn_cast<GetElementPtrInst>(instruction);
    return loop.contains(instruction) || (address && address->hasAllConstantIndices() && isUsedIn(loop, *instruction));
  });
}

/// What an address is computed from: operations in 64 bits, on arguments and numbers of 32 bits.
class Recipe {
public:
  Recipe(GetElementPtrInst &place, const DominatorTree &tree) : place(place), tree(tree) { isKnown = follow(place); }

  /// True if it can be repeated behind `loop` at `where`, and fewer registers then wait for the loop to end.
  bool isLessThanWaiting(const Loop &loop, const BasicBlock &where) const {
    auto isThere = [&](Instruction *number) { return tree.properlyDominates(number->getParent(), &where); };
    unsigned waiting = count_if(numbers, [&](Instruction *number) { return !isUsedIn(loop, *number); });
    return isKnown && operations <= mostOperations && all_of(numbers, isThere) && waiting < waitingFor(loop, place);
  }

  /// Repeats it. LLVM would share parts that look as they did.
  Value *emit(IRBuilder<> &builder) const { return emit(builder, place); }

private:
  bool follow(Value &value) {
    if (isa<Constant, Argument>(value))
      return true;
    if (++operations > mostOperations)
      return false;
    if (Value *number = narrowed(value)) {
      if (auto *computed = dyn_cast<Instruction>(number))
        numbers.insert(computed);
      return true;
    }
    auto &operation = seenThrough(value);
    if (auto *address = dyn_cast<GetElementPtrInst>(&operation))
      return address->getNumIndices() == 1 && follow(*address->getPointerOperand()) && follow(*address->getOperand(1));
    auto *binary = dyn_cast<BinaryOperator>(&operation);
    return binary && isArithmetic(*binary) && follow(*binary->getOperand(0)) && follow(*binary->getOperand(1));
  }

  static bool isArithmetic(const BinaryOperator &operation) {
    switch (operation.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
      return true;
    case Instruction::Shl:
      return isa<ConstantInt>(operation.getOperand(1));
    default:
      return false;
    }
  }

  /// How many registers of `value`, or of what it is computed from behind `loop`, wait for it to end.
  unsigned waitingFor(const Loop &loop, Value &value) const {
    auto *operation = dyn_cast<Instruction>(&value);
    if (!operation)
      return 0;
    auto isBefore = [&](const Value *in) {
      auto *computed = dyn_cast<Instruction>(in);
      return computed && tree.properlyDominates(computed->getParent(), loop.getHeader());
    };
    auto *phi = dyn_cast<PHINode>(operation);
    if (isBefore(operation) || (phi && any_of(phi->incoming_values(), isBefore)))
      return isUsedIn(loop, *operation) ? 0 : 2;
    if (phi || narrowed(value) || hasTwinIn(loop, *operation))
      return 0;
    unsigned registers = 0;
    for (Value *operand : operation->operands())
      registers += waitingFor(loop, *operand);
    return registers;
  }

  /// True if `loop` has `operation`, too.
  static bool hasTwinIn(const Loop &loop, const Instruction &operation) {
    return any_of(operation.operands(), [&](const Value *operand) {
      return !isa<Constant>(operand) && any_of(operand->users(), [&](const User *user) {
        auto *other = cast<Instruction>(user);
        return operation.isIdenticalTo(other) && isUsedIn(loop, *other);
      });
    });
  }

  static Value *emit(IRBuilder<> &builder, Value &value) {
    if (isa<Constant, Argument>(value))
      return &value;
    if (Value *number = narrowed(value))
      return createWideProduct(builder, number, 1, isSigned(value));
    auto &operation = cast<Instruction>(seenThrough(value));
    Value *left = operation.getOperand(0), *right = operation.getOperand(1);
    if (auto *address = dyn_cast<GetElementPtrInst>(&operation)) {
      auto size = address->getDataLayout().getTypeAllocSize(address->getSourceElementType()).getFixedValue();
      return builder.CreatePtrAdd(emit(builder, *left), scaled(builder, *right, size));
    }
    const APInt *factor;
    if (match(&operation, m_Mul(m_Value(), m_APInt(factor))))
      return scaled(builder, *left, factor->getSExtValue());
    if (match(&operation, m_Shl(m_Value(), m_APInt(factor))))
      return scaled(builder, *left, int64_t(1) << factor->getZExtValue());
    Value *first = narrowed(*left), *second = narrowed(*right);
    if (operation.getOpcode() == Instruction::Mul && first && second && isSigned(*left) == isSigned(*right))
      return createWideProduct(builder, first, second, isSigned(*left));
    return builder.CreateBinOp(cast<BinaryOperator>(operation).getOpcode(), emit(builder, *left),
                               emit(builder, *right));
  }

  static Value *scaled(IRBuilder<> &builder, Value &value, int64_t factor) {
    if (Value *number = narrowed(value); number && isInt<32>(factor))
      return createWideProduct(builder, number, factor, isSigned(value));
    return builder.CreateMul(emit(builder, value), builder.getInt64(factor));
  }

  GetElementPtrInst &place;
  const DominatorTree &tree;
  SmallPtrSet<Instruction *, 4> numbers;
  unsigned operations = 0;
  bool isKnown = false;
};

class Repetition {
public:
  Repetition(Function &function, FunctionAnalysisManager &analyses)
      : function(function), loops(analyses.getResult<LoopAnalysis>(function)),
        tree(analyses.getResult<DominatorTreeAnalysis>(function)) {}

  bool run() {
    bool changed = false;
    SmallVector<WeakTrackingVH> places;
    for (Instruction &instruction : instructions(function))
      if (isa<GetElementPtrInst>(instruction))
        places.push_back(&instruction);
    for (WeakTrackingVH &place : places)
      for (Use &use : make_early_inc_range(place->uses()))
        changed |= repeatBehindLoops(cast<GetElementPtrInst>(*place), use);
    for (WeakTrackingVH &place : reverse(places))
      if (place)
        RecursivelyDeleteTriviallyDeadInstructions(place);
    return changed;
  }

private:
  bool repeatBehindLoops(GetElementPtrInst &place, Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *where = phi ? phi->getIncomingBlock(use) : user->getParent();
    Recipe recipe(place, tree);
    if (isa<GetElementPtrInst>(user) ||
        none_of(loops.getLoopsInPreorder(), [&](Loop *loop) { return waitsFor(*loop, recipe, *where); }))
      return false;
    Value *&repeated = copies[{&place, where}];
    if (!repeated) {
      IRBuilder<> builder(&*where->getFirstInsertionPt());
      repeated = recipe.emit(builder);
    } else if (auto *computed = dyn_cast<Instruction>(repeated); !phi && computed && user->comesBefore(computed)) {
      return false;
    }
    use.set(repeated);
    return true;
  }

  /// True if what `recipe` is for waits in registers while `loop` runs, on the way to `where`, and need not.
  bool waitsFor(const Loop &loop, const Recipe &recipe, BasicBlock &where) {
    const BasicBlock *exit = loop.getExitBlock();
    bool isBefore = tree.dominates(&where, loop.getHeader());
    if (loop.contains(&where) || isBefore || !exit || !recipe.isLessThanWaiting(loop, where))
      return false;
    SmallPtrSet<BasicBlock *, 1> again;
    if (const Loop *parent = loop.getParentLoop())
      again.insert(parent->getHeader());
    return isPotentiallyReachable(exit, &where, &again, &tree, &loops);
  }

  Function &function;
  LoopInfo &loops;
  DominatorTree &tree;
  DenseMap<std::pair<Value *, BasicBlock *>, Value *> copies;
};

} // namespace

PreservedAnalyses cufort::codegen::RepeatedPlaces::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!Repetition(function, analyses).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
