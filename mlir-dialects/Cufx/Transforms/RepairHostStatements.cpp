// Host statements that read device data element by element.
//
// In: HLFIR in which a host expression that reads a device scalar or element loads from the device address. Out: the
// element is transferred to a host temporary first. What has arrays is done by the functions called first. A transfer
// whose source is a computed host value becomes an assignment. Descriptors of device arrays are host data and are left
// alone.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/AssignDeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/AssignWhere.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/ComponentScalars.h"
#include "mlir-dialects/Cufx/Transforms/DeviceArguments.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FunctionResults.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/HostElementals.h"
#include "mlir-dialects/Cufx/Transforms/HostMaskedAssignments.h"
#include "mlir-dialects/Cufx/Transforms/HostReads.h"
#include "mlir-dialects/Cufx/Transforms/JoinWheres.h"
#include "mlir-dialects/Cufx/Transforms/KernelLoopOperands.h"
#include "mlir-dialects/Cufx/Transforms/ManagedReads.h"
#include "mlir-dialects/Cufx/Transforms/OptionalMasks.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/RaiseSpreads.h"
#include "mlir-dialects/Cufx/Transforms/ReduceDeviceArrays.h"
#include "mlir-dialects/Cufx/Transforms/RuntimeArguments.h"
#include "mlir-dialects/Cufx/Transforms/StringTransfers.h"
#include "mlir-dialects/Cufx/Transforms/ValueArguments.h"
#include "mlir/IR/Dominance.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_REPAIRHOSTSTATEMENTS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Single elements ------------------------------------------------------------------------------------------===//

/// True if the host reads the scalar behind `operand` from memory that only the device can read.
bool readsDeviceScalar(OpOperand &operand) {
  Value memory = operand.get();
  if (isa<fir::LoadOp>(operand.getOwner())) {
    Type element = fir::dyn_cast_ptrEleTy(memory.getType());
    return element && fir::isa_trivial(element) && isHiddenFromHost(memory);
  }
  return isa<hlfir::CmpCharOp, hlfir::ConcatOp, hlfir::CharTrimOp, hlfir::IndexOp, hlfir::CharExtremumOp,
             hlfir::SetLengthOp>(operand.getOwner()) &&
         hlfir::isFortranVariableType(memory.getType()) && isHiddenFromHost(memory);
}

void transferBeforeRead(OpOperand &operand, ModuleOp module) {
  fir::FirOpBuilder builder(operand.getOwner(), fir::getKindMapping(module));
  Location loc = operand.getOwner()->getLoc();
  if (!isa<fir::LoadOp>(operand.getOwner())) {
    operand.set(receiveString(builder, loc, operand.get(), module));
    return;
  }
  Value temporary = builder.createTemporary(loc, fir::unwrapRefType(operand.get().getType()));
  builder.setInsertionPoint(operand.getOwner());
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, operand.get(), temporary, Value(), kind);
  operand.set(temporary);
}

/// Beside an allocatable, Flang's conversion of a transfer wants the source's descriptor in memory.
void storeSourceDescriptor(cuf::DataTransferOp transfer, ModuleOp module) {
  Value source = transfer.getSrc();
  if (!isa<fir::BaseBoxType>(source.getType()) || !fir::isBoxAddress(transfer.getDst().getType()))
    return;
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Value descriptor = builder.createTemporary(transfer.getLoc(), source.getType());
  fir::StoreOp::create(builder, transfer.getLoc(), source, descriptor);
  transfer.getSrcMutable().assign(descriptor);
}

/// A transfer of a computed value. To host memory it is an assignment; to device memory a value of another type is
/// converted first, and an array expression is evaluated into a host temporary.
void repairComputedSource(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  Value source = transfer.getSrc();
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost) {
    // A whole allocatable takes the shape of the value.
    hlfir::Entity target = variableOf(transfer.getDst());
    hlfir::AssignOp::create(builder, loc, source, target, target.isAllocatable());
    transfer.erase();
    return;
  }
  // An expression of device elements: they have been transferred, and the value is the host's.
  bool wasDevice = transfer.getTransferKind() == cuf::DataTransferKind::DeviceDevice;
  if (wasDevice)
    transfer.setTransferKind(cuf::DataTransferKind::HostDevice);
  if (isa<hlfir::ExprType>(source.getType())) {
    hlfir::AssociateOp temporary =
        hlfir::genAssociateExpr(loc, builder, hlfir::Entity{source}, source.getType(), ".transfer");
    transfer.getSrcMutable().assign(temporary.getBase());
    builder.setInsertionPointAfter(transfer);
    hlfir::EndAssociateOp::create(builder, loc, temporary);
    repairStringTransfer(transfer, module);
    return;
  }
  Type element = hlfir::getFortranElementType(transfer.getDst().getType());
  if ((source.getType() == element && !wasDevice) || !fir::isa_trivial(element))
    return;
  // .true. and .false. are one bit here and a whole word in memory; the transfer wants a constant of that size.
  if (auto logical = dyn_cast<fir::LogicalType>(element))
    if (auto truth = fir::getIntIfConstant(source)) {
      Type word = builder.getIntegerType(builder.getKindMap().getLogicalBitsize(logical.getFKind()));
      transfer.getSrcMutable().assign(builder.createIntegerConstant(loc, word, *truth ? 1 : 0));
      return;
    }
  Value temporary = builder.createTemporary(loc, element);
  fir::StoreOp::create(builder, loc, builder.createConvert(loc, element, source), temporary);
  transfer.getSrcMutable().assign(temporary);
}

/// True if `transfer` brings a derived type with components that have descriptors from one variable of the host to
/// another: lowering makes a transfer of an assignment that has device data in it, as a structure constructor may have.
bool isAssignmentOfRecord(cuf::DataTransferOp transfer) {
  auto record = dyn_cast<fir::RecordType>(hlfir::getFortranElementType(transfer.getDst().getType()));
  return record && holdsDescriptors(record) && !isHiddenFromHost(transfer.getSrc()) &&
         !isHiddenFromHost(transfer.getDst());
}

void assignRecord(cuf::DataTransferOp transfer) {
  OpBuilder builder(transfer);
  hlfir::Entity target = variableOf(transfer.getDst());
  hlfir::AssignOp::create(builder, transfer.getLoc(), variableOf(transfer.getSrc()), target, target.isAllocatable());
  transfer.erase();
}

/// An assignment in the device's copy of a procedure for host and device. Lowering makes transfers there of what has an
/// attribute, as on the host.
void assignOnDevice(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  hlfir::Entity source = variableOf(transfer.getSrc()), target = variableOf(transfer.getDst());
  if (source.isVariable())
    source = hlfir::derefPointersAndAllocatables(transfer.getLoc(), builder, source);
  if (target.isPointer())
    target = hlfir::derefPointersAndAllocatables(transfer.getLoc(), builder, target);
  hlfir::AssignOp::create(builder, transfer.getLoc(), source, target, target.isAllocatable());
  transfer.erase();
}

/// Flang's conversion of a transfer takes descriptors that are made for it. That of an optional dummy argument, which
/// may be absent, is not.
void makeDescriptorsOfOptionals(cuf::DataTransferOp transfer) {
  for (OpOperand *operand : {&transfer.getSrcMutable(), &transfer.getDstMutable()}) {
    auto declare = operand->get().getDefiningOp<hlfir::DeclareOp>();
    if (!declare || !isa<fir::BaseBoxType>(operand->get().getType()) || !hlfir::Entity{operand->get()}.mayBeOptional())
      continue;
    OpBuilder builder(transfer);
    operand->set(fir::ReboxOp::create(builder, transfer.getLoc(), operand->get().getType(), operand->get(),
                                      /*shape=*/Value(), /*slice=*/Value()));
  }
}

/// Flang's conversion of a transfer copies as many bytes as an array has from the address of a derived type's value,
/// unless the two go by descriptors: then each element gets the value.
void fillByDescriptor(cuf::DataTransferOp transfer, ModuleOp module) {
  Type source = hlfir::getFortranElementOrSequenceType(transfer.getSrc().getType());
  Type target = hlfir::getFortranElementOrSequenceType(transfer.getDst().getType());
  if (!isa<fir::RecordType>(source) || !isa<fir::SequenceType>(target))
    return;
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  for (OpOperand *operand : {&transfer.getSrcMutable(), &transfer.getDstMutable()})
    if (Type type = operand->get().getType(); !isa<fir::BaseBoxType>(type) && !fir::isBoxAddress(type))
      operand->set(hlfir::genVariableBox(transfer.getLoc(), builder, variableOf(operand->get())));
}

/// A descriptor, as which lowering names what ASSOCIATE gives a name, says its shape itself.
void dropNeedlessShape(cuf::DataTransferOp transfer) {
  if (isa<fir::BaseBoxType>(transfer.getSrc().getType()) || isa<fir::BaseBoxType>(transfer.getDst().getType()))
    transfer.getShapeMutable().clear();
}

/// What Flang frees where an INTENT(OUT) dummy argument is deallocated on entry is not the host's to free if the
/// argument has a CUDA attribute.
void releaseToDevice(fir::FreeMemOp free, cuf::DataAttribute attribute) {
  OpBuilder builder(free);
  cuf::FreeOp::create(builder, free.getLoc(), free.getHeapref(),
                      cuf::DataAttributeAttr::get(builder.getContext(), attribute));
  free.erase();
}

//===-- Default initialisation -----------------------------------------------------------------------------------===//

cuf::DataTransferKindAttr hostToDevice(MLIRContext *context) {
  return cuf::DataTransferKindAttr::get(context, cuf::DataTransferKind::HostDevice);
}

/// The variable of a derived type that `call` default-initialises, or null.
Value initialisedVariable(fir::CallOp call) {
  if (calleeName(call) != "_FortranAInitialize")
    return {};
  Value box = beforeConversion(call.getArgs().front());
  if (auto embox = box.getDefiningOp<fir::EmboxOp>())
    return embox.getMemref();
  // The descriptor of a dummy argument is as it came.
  return box.getDefiningOp<hlfir::DeclareOp>() ? box : Value();
}

/// The runtime initialises one element in host memory, and a transfer brings it to every element on the device.
void initialiseOnDevice(fir::CallOp call, ModuleOp module) {
  fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(module));
  Location loc = call.getLoc();
  hlfir::Entity variable = variableOf(initialisedVariable(call));
  Value element = builder.createTemporary(loc, variable.getFortranElementType());
  Value box = builder.createConvert(loc, call.getArgs().front().getType(), builder.createBox(loc, element));
  call.getArgsMutable().slice(0, 1).assign(box);
  builder.setInsertionPointAfter(call);
  cuf::DataTransferOp::create(builder, loc, element, variable, Value(), hostToDevice(builder.getContext()));
}

/// The copy of a type's initial value to a scalar.
void initialiseOnDevice(fir::CopyOp copy) {
  OpBuilder builder(copy);
  cuf::DataTransferOp::create(builder, copy.getLoc(), copy.getSource(), copy.getDestination(), Value(),
                              hostToDevice(builder.getContext()));
  copy.erase();
}

/// Some intrinsics, as C_DEVLOC, are lowered for the host address of a module variable. It is the declaration by which
/// its device address is found later.
void useDeclaredAddress(hlfir::DeclareOp declare, DominanceInfo &dominance) {
  auto address = declare.getMemref().getDefiningOp<fir::AddrOfOp>();
  if (!address || fir::isBoxAddress(address.getType()) || !isDeviceAddressable(declare.getBase()))
    return;
  address.getResult().replaceUsesWithIf(declare.getOriginalBase(), [&](OpOperand &use) {
    return !isa<hlfir::DeclareOp>(use.getOwner()) && dominance.properlyDominates(declare, use.getOwner());
  });
}

/// For an array whose kind the dummy argument ignores, lowering makes a descriptor of the dummy's kind, by an operation
/// that cannot change kinds.
void keepKind(fir::ReboxOp rebox) {
  Type from = hlfir::getFortranElementType(rebox.getBox().getType());
  Type to = hlfir::getFortranElementType(rebox.getType());
  if (from == to || !fir::isa_trivial(from) || !fir::isa_trivial(to))
    return;
  OpBuilder builder(rebox);
  Type type = fir::changeElementType(rebox.getType(), from, /*turnBoxIntoClass=*/false);
  Value box = fir::ReboxOp::create(builder, rebox.getLoc(), type, rebox.getBox(), rebox.getShape(), rebox.getSlice());
  rebox.replaceAllUsesWith(fir::ConvertOp::create(builder, rebox.getLoc(), rebox.getType(), box).getResult());
  rebox.erase();
}

struct RepairHostStatementsPass : cufort::cufx::impl::RepairHostStatementsBase<RepairHostStatementsPass> {
  void runOnOperation() override {
    repairKernelLoopOperands(getOperation());
    getOperation().walk(keepKind);
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.getSymName().ends_with(deviceCopySuffix))
        func.walk([&](cuf::DataTransferOp transfer) { assignOnDevice(transfer, getOperation()); });
    DominanceInfo dominance(getOperation());
    getOperation().walk([&](hlfir::DeclareOp declare) {
      if (!isInDeviceCode(declare))
        useDeclaredAddress(declare, dominance);
    });
    readDeviceResults(getOperation());
    transferScalarsToComponents(getOperation());
    passRecordsAsTheyAre(getOperation());
    takeMasksAsArrays(getOperation());
    raiseSpreads(getOperation());
    joinWheres(getOperation());
    assignWhere(getOperation());
    copyDataOfMaskedAssignments(getOperation());
    reduceIntoDeviceScalars(getOperation());
    if (failed(passDeviceExpressions(getOperation())) || failed(assignDeviceExpressions(getOperation())))
      return signalPassFailure();
    reduceDeviceArrays(getOperation());
    waitForManagedArrays(getOperation());
    copyArraysOfElementals(getOperation());
    copyArgumentsOfRuntime(getOperation());
    copyVariablesReadByHost(getOperation());
    SmallVector<OpOperand *> reads;
    SmallVector<cuf::DataTransferOp> computed, copies, records;
    SmallVector<fir::CallOp> initialisations;
    SmallVector<fir::CopyOp> initialCopies;
    SmallVector<std::pair<fir::FreeMemOp, cuf::DataAttribute>> frees;
    getOperation().walk([&](Operation *op) {
      if (isInDeviceCode(op))
        return;
      auto isOnDevice = [](Value variable) { return variable && isDeviceOnly(variable); };
      if (auto call = dyn_cast<fir::CallOp>(op); call && isOnDevice(initialisedVariable(call)))
        initialisations.push_back(call);
      if (auto copy = dyn_cast<fir::CopyOp>(op); copy && isOnDevice(copy.getDestination()))
        initialCopies.push_back(copy);
      for (OpOperand &operand : op->getOpOperands())
        if (readsDeviceScalar(operand))
          reads.push_back(&operand);
      // Components on the device are deallocated by operations of their own.
      if (auto free = dyn_cast<fir::FreeMemOp>(op); free && !isInComponent(free.getHeapref()))
        if (auto attribute = dataAttribute(free.getHeapref()))
          frees.emplace_back(free, *attribute);
      if (auto transfer = dyn_cast<cuf::DataTransferOp>(op)) {
        bool isComputed =
            fir::isa_trivial(transfer.getSrc().getType()) || isa<hlfir::ExprType>(transfer.getSrc().getType());
        (isAssignmentOfRecord(transfer) ? records : isComputed ? computed : copies).push_back(transfer);
      }
    });
    for (fir::CallOp call : initialisations)
      initialiseOnDevice(call, getOperation());
    for (fir::CopyOp copy : initialCopies)
      initialiseOnDevice(copy);
    for (OpOperand *read : reads)
      transferBeforeRead(*read, getOperation());
    llvm::for_each(records, assignRecord);
    for (cuf::DataTransferOp transfer : computed)
      repairComputedSource(transfer, getOperation());
    for (cuf::DataTransferOp transfer : copies)
      repairStringTransfer(transfer, getOperation());
    getOperation().walk([&](cuf::DataTransferOp transfer) {
      if (isInDeviceCode(transfer))
        return;
      fillByDescriptor(transfer, getOperation());
      dropNeedlessShape(transfer);
      makeDescriptorsOfOptionals(transfer);
      storeSourceDescriptor(transfer, getOperation());
    });
    for (auto [free, attribute] : frees)
      releaseToDevice(free, attribute);
  }
};

} // namespace
