// Fortran gives a complex number the alignment of its parts, for it may be a component after one real. In a variable of
// the program the place is known: the variable has an alignment, and what is added to its address is a multiple of the
// number's size. What comes from a dummy argument or an allocatable stays as it is.

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

static Align knownAlignment(const Value *address, const DataLayout &layout) {
  unsigned zeros = Value::MaxAlignmentExponent;
  while (true) {
    if (auto *step = dyn_cast<GEPOperator>(address)) {
      zeros = std::min(zeros, zeroBitsOfOffset(*step, layout));
      address = step->getPointerOperand();
    } else if (auto *cast = dyn_cast<AddrSpaceCastOperator>(address)) {
      address = cast->getPointerOperand();
    } else {
      bool isVariable = isa<GlobalVariable>(address) || isa<AllocaInst>(address);
      return isVariable ? std::min(address->getPointerAlignment(layout), Align(uint64_t(1) << zeros)) : Align();
    }
  }
}

void cufort::codegen::noteKnownAlignments(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        load->setAlignment(std::max(load->getAlign(), knownAlignment(load->getPointerOperand(), layout)));
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        store->setAlignment(std::max(store->getAlign(), knownAlignment(store->getPointerOperand(), layout)));
    }
}
