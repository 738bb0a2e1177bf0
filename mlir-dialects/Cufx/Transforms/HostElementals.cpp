// In: hlfir.elemental operations of host code whose elements are loaded from a device array. Out: a transfer of the
// array to host memory, from which the elements are loaded.

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
  bool isElement =
      !element.getComponent() && !element.getIndices().empty() && hlfir::Entity{element.getResult()}.isScalar();
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
    // What is loaded is the descriptor of an allocatable or a pointer.
    if (isa<hlfir::DesignateOp, hlfir::DeclareOp, fir::LoadOp>(op))
      return box;
    if (!isa<fir::ConvertOp, fir::EmboxOp, fir::ReboxOp, fir::BoxAddrOp>(op))
      return {};
    box = op->getOperand(0);
  }
  return {};
}

/// True for routines of the run-time library that read arrays: parts of array constructors, and functions that have no
/// operation in HLFIR.
bool readsArrays(StringRef callee) {
  static constexpr StringLiteral readers[] = {
      "PushArrayConstructorValue", "Findloc", "Norm2", "IAll", "IAny", "IParity", "Parity", "Spread", "Pack", "Unpack"};
  return callee.consume_front("_FortranA") &&
         llvm::any_of(readers, [&](StringRef reader) { return callee.starts_with(reader); });
}

/// Lets the run-time library read host copies of device arrays.
void copyArguments(fir::CallOp call, ModuleOp module) {
  for (OpOperand &argument : call->getOpOperands()) {
    Value array = describedArray(argument.get());
    if (array)
      array = variableOf(array);
    // One string of a length that is not known here is no entity by its address alone.
    if (!array || !isHiddenFromHost(array) || !hlfir::isFortranEntity(array) || !hlfir::Entity{array}.isArray())
      continue;
    fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(module));
    auto [copy, memory] = copyToHost(builder, call.getLoc(), array);
    Value box = hlfir::genVariableBox(call.getLoc(), builder, hlfir::Entity{copy});
    argument.set(builder.createConvert(call.getLoc(), argument.get().getType(), box));
    builder.setInsertionPointAfter(call);
    fir::FreeMemOp::create(builder, call.getLoc(), memory);
  }
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
  SmallVector<fir::CallOp> calls;
  module.walk([&](fir::CallOp call) {
    if (!isInDeviceCode(call) && readsArrays(calleeName(call)))
      calls.push_back(call);
  });
  for (fir::CallOp call : calls)
    copyArguments(call, module);
}
