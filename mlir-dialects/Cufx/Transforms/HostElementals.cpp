// In: hlfir.elemental operations of host code whose elements are loaded from a device array. Flang's lowering makes
// host copies of the arrays that have a symbol (HostCopies.h); components on the device come here as they are. Out: a
// transfer of the array to host memory, from which the elements are loaded.

#include "mlir-dialects/Cufx/Transforms/HostElementals.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The device array of which `element` is one that the host loads, if the array does not change from one element of
/// `elemental` to the next; else null.
Value arrayReadBy(hlfir::DesignateOp element, hlfir::ElementalOp elemental) {
  Value array = element.getMemref();
  bool isElement = fir::isa_trivial(fir::unwrapRefType(element.getType())) && !element.getComponent();
  if (!isElement || !hlfir::Entity{array}.isArray() || elemental.getRegion().isAncestor(array.getParentRegion()))
    return {};
  return isHiddenFromHost(array) ? array : Value();
}

void copyArrays(hlfir::ElementalOp elemental, ModuleOp module) {
  Operation *end = endOfValue(elemental);
  if (end == elemental)
    return;
  fir::FirOpBuilder builder(elemental.getOperation(), fir::getKindMapping(module));
  DenseMap<Value, Value> copies;
  SmallVector<hlfir::DesignateOp> elements;
  elemental.walk([&](hlfir::DesignateOp element) {
    if (arrayReadBy(element, elemental))
      elements.push_back(element);
  });
  for (hlfir::DesignateOp element : elements) {
    auto [known, isNew] = copies.try_emplace(element.getMemref());
    if (isNew) {
      builder.setInsertionPoint(elemental);
      auto [copy, memory] = copyToHost(builder, elemental.getLoc(), element.getMemref());
      builder.setInsertionPointAfter(end);
      fir::FreeMemOp::create(builder, elemental.getLoc(), memory);
      known->second = copy;
    }
    element.getMemrefMutable().assign(known->second);
  }
}

/// The array or section that the descriptor `box` of an argument describes, or null.
Value describedArray(Value box) {
  while (Operation *op = box.getDefiningOp()) {
    if (isa<hlfir::DesignateOp, hlfir::DeclareOp>(op))
      return box;
    if (!isa<fir::ConvertOp, fir::EmboxOp, fir::ReboxOp>(op))
      return {};
    box = op->getOperand(0);
  }
  return {};
}

/// A device array in an array constructor, which the run-time library reads.
void copyPushedArray(fir::CallOp push, ModuleOp module) {
  Value array = describedArray(push.getArgs()[1]);
  if (!array || !isHiddenFromHost(array) || !hlfir::Entity{array}.isArray())
    return;
  Location loc = push.getLoc();
  fir::FirOpBuilder builder(push.getOperation(), fir::getKindMapping(module));
  auto [copy, memory] = copyToHost(builder, loc, array);
  Value box = hlfir::genVariableBox(loc, builder, hlfir::Entity{copy});
  push->setOperand(1, builder.createConvert(loc, push.getArgs()[1].getType(), box));
  builder.setInsertionPointAfter(push);
  fir::FreeMemOp::create(builder, loc, memory);
}

} // namespace

void cufort::cufx::copyArraysOfElementals(ModuleOp module) {
  SmallVector<hlfir::ElementalOp> elementals;
  module.walk([&](hlfir::ElementalOp elemental) {
    if (!isInDeviceCode(elemental))
      elementals.push_back(elemental);
  });
  for (hlfir::ElementalOp elemental : elementals)
    copyArrays(elemental, module);
  SmallVector<fir::CallOp> pushes;
  module.walk([&](fir::CallOp call) {
    if (!isInDeviceCode(call) && calleeName(call) == "_FortranAPushArrayConstructorValue")
      pushes.push_back(call);
  });
  for (fir::CallOp push : pushes)
    copyPushedArray(push, module);
}
