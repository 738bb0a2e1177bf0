// In:  i = ctaid * ntid + (tid + 1)                  Out: p = ctaid * ntid + tid, without overflow
//      ... sext(i) - 1 ... sext(i) ...                    ... sext(p) ... sext(p) + 1 ...

#include "codegen/DeviceLink/ThreadPlaces.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

template <Intrinsic::ID x, Intrinsic::ID y, Intrinsic::ID z>
bool isRead(Value *value) {
  return match(value, m_CombineOr(m_Intrinsic<x>(), m_CombineOr(m_Intrinsic<y>(), m_Intrinsic<z>())));
}

bool isThreadIdx(Value *value) {
  return isRead<Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                Intrinsic::nvvm_read_ptx_sreg_tid_z>(value);
}

bool isBlockIdx(Value *value) {
  return isRead<Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                Intrinsic::nvvm_read_ptx_sreg_ctaid_z>(value);
}

bool isBlockDim(Value *value) {
  return isRead<Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                Intrinsic::nvvm_read_ptx_sreg_ntid_z>(value);
}

/// True for the threads, or tiles of a constant size, of the blocks before this one.
bool isBlockStart(Value *value) {
  Value *left, *right;
  if (!match(value, m_Mul(m_Value(left), m_Value(right))))
    return false;
  auto isSize = [](Value *size) {
    return isBlockDim(size) || (isa<ConstantInt>(size) && match(size, m_StrictlyPositive()));
  };
  return (isBlockIdx(left) && isSize(right)) || (isBlockIdx(right) && isSize(left));
}

/// A sum of a block's start, the thread's place in the block, and constants.
struct Place {
  Value *start = nullptr, *thread = nullptr;
  APInt added;

  /// False if `value` is something else, too.
  bool add(Value *value) {
    Value *left, *right;
    const APInt *constant;
    if (match(value, m_Add(m_Value(left), m_Value(right))))
      return add(left) && add(right);
    if (match(value, m_Sub(m_Value(left), m_APInt(constant)))) {
      added -= *constant;
      return add(left);
    }
    if (match(value, m_APInt(constant))) {
      added += *constant;
      return true;
    }
    Value *&part = isThreadIdx(value) ? thread : start;
    bool isPart = !part && (isThreadIdx(value) || isBlockStart(value));
    part = isPart ? value : part;
    return isPart;
  }
};

std::optional<Place> findPlace(Instruction &sum) {
  if (!sum.getType()->isIntegerTy(32) || (sum.getOpcode() != Instruction::Add && sum.getOpcode() != Instruction::Sub))
    return std::nullopt;
  Place place;
  place.added = APInt(32, 0);
  if (!place.add(&sum) || !place.start || !place.thread)
    return std::nullopt;
  return place;
}

/// Emits `place` so that LLVM sees what does not overflow.
Value *emit(IRBuilder<> &builder, const Place &place) {
  auto *start = cast<Instruction>(place.start);
  start->setHasNoSignedWrap(true);
  start->setHasNoUnsignedWrap(true);
  Value *number = builder.CreateAdd(place.start, place.thread, "", /*HasNUW=*/true, /*HasNSW=*/true);
  if (place.added.isZero())
    return number;
  return builder.CreateAdd(number, builder.getInt(place.added), "", /*HasNUW=*/place.added.isNonNegative(),
                           /*HasNSW=*/true);
}

/// Replaces sext(place + constant) by sext(place) + constant.
bool widen(Instruction &extension) {
  Value *number;
  const APInt *constant;
  if (!extension.getType()->isIntegerTy(64) || !match(&extension, m_SExt(m_NSWAdd(m_Value(number), m_APInt(constant)))))
    return false;
  auto *place = dyn_cast<Instruction>(number);
  if (!place || !findPlace(*place))
    return false;
  IRBuilder<> builder(&extension);
  Value *wide = builder.CreateSExt(number, extension.getType());
  extension.replaceAllUsesWith(builder.CreateNSWAdd(wide, builder.getInt(constant->sext(64))));
  return true;
}

} // namespace

PreservedAnalyses cufort::codegen::ThreadPlaces::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    std::optional<Place> place = findPlace(instruction);
    if (!place)
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(emit(builder, *place));
    changed = true;
  }
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    changed |= widen(instruction);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
