// In:  j = load                                   Out: j = load
//      ... x + 8 * (sext(j) - 1), y + 8 * sext(j)      ... x + (the product of 8 and j, in 64 bits) - 8, and y as well
//
// LLVM would load j as a number of 64 bits. Then it is compared as such, with two instructions, and shifted and added
// as such, with eight instructions for three arrays; with the product ptxas has one for each of them.

#include "codegen/DeviceLink/LoadedSubscripts.h"
#include "codegen/DeviceLink/WideProduct.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

/// True if `compare` compares `number` with a constant that it could be compared with in 32 bits.
static bool isNarrowComparison(const ICmpInst &compare, const CastInst &number) {
  auto *limit = dyn_cast<ConstantInt>(compare.getOperand(1));
  if (!limit || compare.getOperand(0) != &number)
    return false;
  return isa<SExtInst>(number) ? limit->getValue().isSignedIntN(32) && !compare.isUnsigned()
                               : limit->getValue().isIntN(32) && !compare.isSigned();
}

static void narrow(ICmpInst &compare, CastInst &number) {
  auto *limit = cast<ConstantInt>(compare.getOperand(1));
  compare.setOperand(0, number.getOperand(0));
  compare.setOperand(1, ConstantInt::get(number.getSrcTy(), limit->getValue().trunc(32)));
}

namespace {

/// An address that a number determines: base + factor * number + distance, in bytes.
struct Place {
  GetElementPtrInst *address;
  int64_t factor, distance;
};

/// What a number of 64 bits is used for.
class Uses {
public:
  explicit Uses(CastInst &number) : number(number) { areNarrow = follow(number, 1, 0); }

  /// True if all of them can do with 32 bits of it.
  bool areNarrow;

  void narrow() const {
    for (ICmpInst *compare : comparisons)
      ::narrow(*compare, number);
    for (const Place &place : places)
      replace(place);
  }

private:
  bool follow(Instruction &value, int64_t factor, int64_t distance) {
    return all_of(value.users(), [&](User *user) { return add(value, *cast<Instruction>(user), factor, distance); });
  }

  bool add(Instruction &value, Instruction &user, int64_t factor, int64_t distance) {
    if (auto *compare = dyn_cast<ICmpInst>(&user)) {
      comparisons.push_back(compare);
      return &value == &number && isNarrowComparison(*compare, number);
    }
    if (auto *address = dyn_cast<GetElementPtrInst>(&user)) {
      auto size = int64_t(address->getDataLayout().getTypeAllocSize(address->getSourceElementType()).getFixedValue());
      places.push_back({address, factor * size, distance * size});
      return address->getNumIndices() == 1 && address->getOperand(1) == &value && isInt<32>(factor * size) &&
             isInt<32>(distance * size);
    }
    auto *constant = isa<BinaryOperator>(user) ? dyn_cast<ConstantInt>(user.getOperand(1)) : nullptr;
    if (!constant || !constant->getValue().isSignedIntN(16) || !isInt<32>(factor) || !isInt<32>(distance))
      return false;
    int64_t operand = constant->getSExtValue();
    if (user.getOpcode() == Instruction::Add)
      return follow(user, factor, distance + operand);
    int64_t times = user.getOpcode() == Instruction::Mul                   ? operand
                    : user.getOpcode() == Instruction::Shl && operand < 16 ? int64_t(1) << operand
                                                                           : 0;
    return times != 0 && follow(user, factor * times, distance * times);
  }

  void replace(const Place &place) const {
    IRBuilder<> builder(place.address);
    Value *offset = createWideProduct(builder, number.getOperand(0), place.factor, isa<SExtInst>(number));
    Value *moved = builder.CreatePtrAdd(place.address->getPointerOperand(), offset);
    place.address->replaceAllUsesWith(builder.CreatePtrAdd(moved, builder.getInt64(place.distance)));
  }

  CastInst &number;
  SmallVector<ICmpInst *, 2> comparisons;
  SmallVector<Place> places;
};

} // namespace

/// True if `number`, in 64 bits, is a load in 32 bits.
static bool isLoaded(const CastInst &number) {
  return isa<SExtInst, ZExtInst>(number) && isa<LoadInst>(number.getOperand(0)) && number.getSrcTy()->isIntegerTy(32) &&
         number.getDestTy()->isIntegerTy(64);
}

PreservedAnalyses LoadedSubscripts::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<CastInst *> numbers;
  for (Instruction &instruction : instructions(function))
    if (auto *number = dyn_cast<CastInst>(&instruction); number && isLoaded(*number))
      numbers.push_back(number);
  bool changed = false;
  for (CastInst *number : numbers) {
    Uses uses(*number);
    if (!uses.areNarrow)
      continue;
    uses.narrow();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
