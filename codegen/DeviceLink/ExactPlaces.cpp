#include "codegen/DeviceLink/ExactPlaces.h"
#include "codegen/DeviceLink/EmulatedIdentity.h"
#include "codegen/DeviceLink/Phases.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

namespace {

/// A sum of a block's start, a thread's place in the block, and constants.
class Place {
public:
  explicit Place(unsigned firstIdentity) : firstIdentity(firstIdentity) {}

  /// False if `value` is something else, too.
  bool add(Value *value) {
    Value *left, *right;
    if (match(value, m_Add(m_Value(left), m_Value(right))) ||
        (match(value, m_Sub(m_Value(left), m_Value(right))) && isa<ConstantInt>(right)))
      return add(left) && add(right);
    if (isa<ConstantInt>(value))
      return true;
    Value *&part = isStart(value) ? start : thread;
    bool isPart = !part && (isStart(value) || isOf(value, IdentityThreadIdx));
    part = isPart ? value : part;
    return isPart;
  }

  /// True if it is the place of a thread on the axis x of the grid.
  bool isWholeInRow() const {
    return start && thread && isAxisX(cast<Argument>(thread), IdentityThreadIdx) &&
           any_of(cast<User>(start)->operands(), [&](Value *factor) { return isAxisX(factor, IdentityBlockIdx); }) &&
           any_of(cast<User>(start)->operands(), [&](Value *factor) { return isAxisX(factor, IdentityBlockDim); });
  }

  void markExact(Instruction &sum) const {
    if (!thread && !start)
      return;
    sum.setHasNoSignedWrap(true);
    if (auto *product = dyn_cast_or_null<Instruction>(start)) {
      product->setHasNoSignedWrap(true);
      product->setHasNoUnsignedWrap(true);
    }
  }

private:
  bool isAxisX(Value *value, unsigned part) const {
    auto *argument = dyn_cast<Argument>(value);
    return argument && argument->getArgNo() == firstIdentity + part;
  }
  bool isOf(Value *value, unsigned parts) const {
    auto *argument = dyn_cast<Argument>(value);
    unsigned part = argument ? argument->getArgNo() - firstIdentity : IdentityCount;
    return part >= parts && part < parts + 3;
  }
  bool isSize(Value *value) const {
    return isOf(value, IdentityBlockDim) || (isa<ConstantInt>(value) && match(value, m_StrictlyPositive()));
  }
  bool isStart(Value *value) const {
    Value *left, *right;
    if (match(value, m_Shl(m_Value(left), m_ConstantInt())))
      return isOf(left, IdentityBlockIdx);
    return match(value, m_Mul(m_Value(left), m_Value(right))) &&
           ((isOf(left, IdentityBlockIdx) && isSize(right)) || (isOf(right, IdentityBlockIdx) && isSize(left)));
  }

  unsigned firstIdentity;
  Value *start = nullptr, *thread = nullptr;
};

} // namespace

/// The greatest that `value`, a number made of a thread's index in its block, can be, whatever its sign; nothing if it
/// is something else, too.
static std::optional<uint64_t> greatestInBlock(Value *value, unsigned firstIdentity, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  const APInt *constant;
  if (match(value, m_APInt(constant)))
    return constant->abs().getZExtValue();
  if (auto *argument = dyn_cast<Argument>(value)) {
    unsigned part = argument->getArgNo() - firstIdentity;
    bool isOfBlock = part < IdentityBlockIdx || (part >= IdentityBlockDim && part < IdentityGridDim);
    return isOfBlock ? std::optional(emulatedThreads) : std::nullopt;
  }
  auto *operation = dyn_cast<BinaryOperator>(value);
  if (!operation || depth == deepest)
    return std::nullopt;
  auto left = greatestInBlock(operation->getOperand(0), firstIdentity, depth + 1);
  auto right = left ? greatestInBlock(operation->getOperand(1), firstIdentity, depth + 1) : std::nullopt;
  if (!right || *left > INT32_MAX || *right > INT32_MAX)
    return std::nullopt;
  switch (operation->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return *left + *right;
  case Instruction::Mul:
    return *left * *right;
  case Instruction::Shl:
    return isa<ConstantInt>(operation->getOperand(1)) && *right < 31 ? std::optional(*left << *right) : std::nullopt;
  default:
    return std::nullopt;
  }
}

void cufort::codegen::markExactPlaces(Function &body, unsigned firstIdentity) {
  for (Instruction &instruction : instructions(body)) {
    unsigned code = instruction.getOpcode();
    if (instruction.getType()->isIntegerTy(32))
      if (auto greatest = greatestInBlock(&instruction, firstIdentity); greatest && *greatest <= INT32_MAX)
        instruction.setHasNoSignedWrap(true);
    if (!instruction.getType()->isIntegerTy(32) || (code != Instruction::Add && code != Instruction::Sub))
      continue;
    if (Place place(firstIdentity); place.add(&instruction))
      place.markExact(instruction);
  }
}

/// True if `part`, of a thread's place in a row of the grid, is used for nothing but such places.
static bool onlyMakesPlaceInRow(Value &part, unsigned firstIdentity) {
  return all_of(part.users(), [&](User *user) {
    auto *sum = dyn_cast<BinaryOperator>(user);
    Place place(firstIdentity);
    if (!sum || (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub) || !place.add(sum))
      return false;
    return place.isWholeInRow() || onlyMakesPlaceInRow(*sum, firstIdentity);
  });
}

bool cufort::codegen::onlyKnowsPlaceInRow(Function &body, unsigned firstIdentity) {
  auto part = [&](unsigned number) { return body.getArg(firstIdentity + number); };
  Argument *block = part(IdentityBlockIdx), *blockDim = part(IdentityBlockDim);
  bool isShared = !part(IdentitySharedBase)->use_empty() || !part(IdentityDynamicShared)->use_empty();
  if (isShared || part(IdentityThreadIdx)->use_empty() || block->use_empty())
    return false;
  for (Instruction &instruction : instructions(body))
    if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) && instruction.mayHaveSideEffects())
      return false;
  return onlyMakesPlaceInRow(*part(IdentityThreadIdx), firstIdentity) && all_of(block->users(), [&](User *user) {
           return match(user, m_c_Mul(m_Specific(block), m_Specific(blockDim))) &&
                  onlyMakesPlaceInRow(*user, firstIdentity);
         });
}
