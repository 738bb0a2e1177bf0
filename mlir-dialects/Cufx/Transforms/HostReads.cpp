// In:  %value = hlfir.as_expr %variable
//      hlfir.assign %variable to %component
//      %chosen = arith.select %condition, %variable, %other
//      cuf.data_transfer %variable to %object {device_host}
//
// Out: %copy = fir.alloca; cuf.data_transfer %variable to %copy {device_host}
//      the same with %copy, but for the last: hlfir.assign %copy to %object realloc
//
// where %variable is a record, a string or an array of the device, and %object has CLASS. Numbers are loaded, and
// arrays of expressions that kernels evaluate are no operands of these any more.

#include "mlir-dialects/Cufx/Transforms/HostReads.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for a variable whose elements are of one type, known here; what a descriptor in memory describes may be absent.
bool isPlainVariable(Value value) {
  return hlfir::isFortranEntity(value) && hlfir::isFortranVariableType(value.getType()) &&
         !fir::isBoxAddress(value.getType()) && !hlfir::Entity{value}.isPolymorphic();
}

/// True if the host needs what is in the memory that `operand` is, which only the device can read.
bool isRead(OpOperand &operand) {
  Operation *op = operand.getOwner();
  bool isValue = false;
  if (auto value = dyn_cast<hlfir::AsExprOp>(op))
    isValue = !value.isMove();
  else if (auto assign = dyn_cast<hlfir::AssignOp>(op))
    isValue = operand.get() == assign.getRhs() && !isHiddenFromHost(assign.getLhs());
  else if (isa<arith::SelectOp>(op))
    isValue = fir::isa_ref_type(operand.get().getType());
  Value variable = stringAt(operand.get());
  return isValue && isPlainVariable(variable) && isHiddenFromHost(variable);
}

void copyOperand(OpOperand &operand, ModuleOp module) {
  Operation *op = operand.getOwner();
  Type type = operand.get().getType();
  operand.set(stringAt(operand.get()));
  replaceByHostCopy(operand, endOfValue(op));
  if (!isa<arith::SelectOp>(op) || operand.get().getType() == type)
    return;
  Location loc = op->getLoc();
  fir::FirOpBuilder builder(op, fir::getKindMapping(module));
  Value address = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{operand.get()});
  operand.set(builder.createConvert(loc, type, address));
}

/// True for an assignment to an object of the host that takes the type of the value: it is more than a copy of memory.
bool isToObject(cuf::DataTransferOp transfer) {
  return isa<fir::ClassType>(fir::unwrapRefType(transfer.getDst().getType())) &&
         transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost && !isInDeviceCode(transfer);
}

void assignToObject(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  hlfir::Entity source = variableOf(transfer.getSrc()), target = variableOf(transfer.getDst());
  if (source.isVariable())
    source = hlfir::derefPointersAndAllocatables(loc, builder, source);
  hlfir::AssignOp::create(builder, loc, source, target, target.isAllocatable());
  transfer.erase();
}

} // namespace

void cufort::cufx::copyVariablesReadByHost(ModuleOp module) {
  SmallVector<cuf::DataTransferOp> transfers;
  module.walk([&](cuf::DataTransferOp transfer) {
    if (isToObject(transfer))
      transfers.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : transfers)
    assignToObject(transfer, module);
  SmallVector<OpOperand *> reads;
  module.walk([&](Operation *op) {
    if (isInDeviceCode(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (isRead(operand))
        reads.push_back(&operand);
  });
  for (OpOperand *read : reads)
    copyOperand(*read, module);
}
