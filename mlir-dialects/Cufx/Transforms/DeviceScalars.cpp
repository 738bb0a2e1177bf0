#include "mlir-dialects/Cufx/Transforms/DeviceScalars.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

/// An element, whose subscripts may be device scalars.
static hlfir::DesignateOp elementRead(fir::LoadOp load) { return load.getMemref().getDefiningOp<hlfir::DesignateOp>(); }

bool cufort::cufx::isDeviceScalar(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !fir::isa_trivial(value.getType()))
    return false;
  if (auto load = dyn_cast<fir::LoadOp>(op))
    return isDeviceAddressable(load.getMemref());
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::any_of(op->getOperands(), isDeviceScalar);
}

bool cufort::cufx::isWritableDeviceScalar(Value memory) {
  return isDeviceOnly(memory) && dataAttribute(memory) == cuf::DataAttribute::Device &&
         fir::isa_ref_type(memory.getType()) && fir::isa_trivial(fir::unwrapRefType(memory.getType()));
}

/// The place of the scalar that nothing but `transfer` uses, or null.
static hlfir::AssociateOp placeOfScalar(cuf::DataTransferOp transfer) {
  auto place = transfer.getSrc().getDefiningOp<hlfir::AssociateOp>();
  return place && isOnlyFor(place, transfer) && fir::isa_trivial(place.getSource().getType()) ? place
                                                                                              : hlfir::AssociateOp();
}

Value cufort::cufx::transferredScalar(cuf::DataTransferOp transfer) {
  if (hlfir::AssociateOp place = placeOfScalar(transfer))
    return place.getSource();
  return fir::isa_trivial(transfer.getSrc().getType()) ? transfer.getSrc() : Value();
}

void cufort::cufx::dropPlaceOfScalar(cuf::DataTransferOp transfer) {
  hlfir::AssociateOp place = placeOfScalar(transfer);
  if (!place)
    return;
  transfer.getSrcMutable().assign(place.getSource());
  eraseAssociation(place);
}

void cufort::cufx::collectMemoryOfScalar(Value value, SmallVectorImpl<Value> &memory) {
  if (!isDeviceScalar(value))
    return;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<fir::LoadOp>(op)) {
    memory.push_back(load.getMemref());
    op = elementRead(load);
  }
  if (op)
    for (Value operand : op->getOperands())
      collectMemoryOfScalar(operand, memory);
}

Value DeviceScalars::inKernel(fir::FirOpBuilder &builder, Value value) {
  if (!isDeviceScalar(value) || repeated.contains(value))
    return repeated.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<fir::LoadOp>(op);
  hlfir::DesignateOp element = load ? elementRead(load) : hlfir::DesignateOp();
  Operation *calculation = element ? element.getOperation() : op;
  for (Value operand : calculation->getOperands())
    inKernel(builder, operand);
  if (element)
    builder.clone(*element, repeated);
  return builder.clone(*op, repeated)->getResult(0);
}
