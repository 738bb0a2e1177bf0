// In: hlfir.assign from one array to another, of which one is shared memory and the other another variable.
// Out: a loop over the elements.

#include "mlir-dialects/Cufx/Transforms/AssignSharedMemory.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Dynamic shared arrays of assumed size begin at one place.
bool isStatic(cuf::SharedMemoryOp shared) {
  auto sequence = dyn_cast<fir::SequenceType>(shared.getInType());
  return !sequence || !sequence.hasDynamicExtents();
}

bool areDistinct(Value a, Value b) {
  if (mayHaveOtherNames(a) || mayHaveOtherNames(b))
    return false;
  Value ownMemory = memoryOf(a), otherMemory = memoryOf(b);
  auto shared = ownMemory.getDefiningOp<cuf::SharedMemoryOp>();
  auto otherShared = otherMemory.getDefiningOp<cuf::SharedMemoryOp>();
  if (shared && otherShared)
    return shared != otherShared && (isStatic(shared) || isStatic(otherShared));
  return shared || otherShared;
}

bool isCopyOfSharedMemory(hlfir::AssignOp assign) {
  hlfir::Entity left{assign.getLhs()}, right{assign.getRhs()};
  return isInDeviceCode(assign) && !assign.isAllocatableAssignment() && left.isVariable() && right.isVariable() &&
         left.isArray() && right.isArray() && isPlainElement(left.getFortranElementType()) &&
         left.getFortranElementType() == right.getFortranElementType() && areDistinct(left, right);
}

} // namespace

void cufort::cufx::assignSharedMemory(ModuleOp module) {
  SmallVector<hlfir::AssignOp> copies;
  module.walk([&](hlfir::AssignOp assign) {
    if (isCopyOfSharedMemory(assign))
      copies.push_back(assign);
  });
  for (hlfir::AssignOp copy : copies) {
    fir::FirOpBuilder builder(copy.getOperation(), fir::getKindMapping(module));
    hlfir::genNoAliasArrayAssignment(copy.getLoc(), builder, hlfir::Entity{copy.getRhs()},
                                     hlfir::Entity{copy.getLhs()});
    copy.erase();
  }
}
