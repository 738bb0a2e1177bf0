// Fortran gives a complex number the alignment of its parts, for it may be a component after one real. In a variable of
// the program the place is known: the variable has an alignment, and what is added to its address is a multiple of the
// number's size. For what comes from a dummy argument or an allocatable there are AlignedVersions.h.

#include "codegen/DeviceLink/KnownAlignments.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace cufort::codegen;

/// How many factors of two are in what `address` adds to its base.
static unsigned zeroBitsOfOffset(const GEPOperator &address, const DataLayout &layout) {
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> parts;
  APInt constant(width, 0);
  if (!address.collectOffset(layout, width, parts, constant))
    return 0;
  unsigned zeros = constant.countr_zero();
  for (const auto &[index, scale] : parts)
    zeros = std::min(zeros, scale.countr_zero() + computeKnownBits(index, layout).countMinTrailingZeros());
  return zeros;
}

Align cufort::codegen::knownAlignment(const Value *address, const DataLayout &layout,
                                      function_ref<Align(const Value *)> alignmentOf) {
  unsigned zeros = Value::MaxAlignmentExponent;
  while (true) {
    if (auto *step = dyn_cast<GEPOperator>(address)) {
      zeros = std::min(zeros, zeroBitsOfOffset(*step, layout));
      address = step->getPointerOperand();
    } else if (auto *cast = dyn_cast<AddrSpaceCastOperator>(address)) {
      address = cast->getPointerOperand();
    } else {
      return std::min(alignmentOf(address), Align(uint64_t(1) << zeros));
    }
  }
}

void cufort::codegen::noteKnownAlignments(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  auto alignmentOfVariable = [&](const Value *base) {
    return isa<GlobalVariable, AllocaInst>(base) ? base->getPointerAlignment(layout) : Align();
  };
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (const Value *address = getLoadStorePointerOperand(&instruction)) {
        Align known = knownAlignment(address, layout, alignmentOfVariable);
        setLoadStoreAlignment(&instruction, std::max(getLoadStoreAlignment(&instruction), known));
      }
}
