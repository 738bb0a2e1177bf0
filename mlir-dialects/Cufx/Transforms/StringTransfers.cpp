// Flang's conversion of a transfer copies memory. That is right for strings of one length that go by descriptors. Where
// the lengths differ, or may differ, host code changes them: a value that goes to the device is assigned to a host
// temporary of the target's length first, and a value that comes from the device arrives in a host temporary of its own
// length. Between two device variables it does both.

#include "mlir-dialects/Cufx/Transforms/StringTransfers.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

fir::CharacterType characterType(Value value) {
  return dyn_cast<fir::CharacterType>(hlfir::getFortranElementType(value.getType()));
}

/// Also of what HLFIR declares with the name of the memory itself, as an automatic array.
bool isArray(Value variable) {
  return isa<fir::SequenceType>(hlfir::getFortranElementOrSequenceType(variable.getType()));
}

/// True if memory can be copied: the lengths are the same for sure, or the runtime gives the target that of the source.
bool needsNoOtherLength(cuf::DataTransferOp transfer) {
  fir::CharacterType length = characterType(transfer.getDst());
  if (length.hasConstantLen())
    return characterType(transfer.getSrc()) == length;
  bool toHost = transfer.getTransferKind() == cuf::DataTransferKind::DeviceHost;
  auto declare = transfer.getDst().getDefiningOp<hlfir::DeclareOp>();
  bool hasOwnLength = declare && !declare.getTypeparams().empty();
  return !toHost && variableOf(transfer.getDst()).isAllocatable() && !hasOwnLength;
}

/// A host temporary of strings, on the stack if it is one string.
struct Temporary {
  hlfir::Entity variable;
  Value heap; ///< to be freed, or null
};

/// A temporary of the shape of `mold`, whose strings have the length of those of `lengthOf`.
Temporary makeTemporary(fir::FirOpBuilder &builder, Location loc, hlfir::Entity mold, hlfir::Entity lengthOf) {
  SmallVector<Value> lengths;
  hlfir::genLengthParameters(loc, builder, lengthOf, lengths);
  fir::CharacterType element = characterType(lengthOf);
  SmallVector<Value> dynamicLengths = element.hasConstantLen() ? SmallVector<Value>() : lengths;
  if (mold.isScalar()) {
    Value memory = builder.createTemporary(loc, element, "", {}, dynamicLengths);
    auto declare = hlfir::DeclareOp::create(builder, loc, memory, ".string", Value(), lengths);
    return {hlfir::Entity{declare.getBase()}, {}};
  }
  Value shape = hlfir::genShape(loc, builder, mold);
  SmallVector<Value> extents = hlfir::getExplicitExtentsFromShape(shape, builder);
  Type type = builder.getVarLenSeqTy(element, extents.size());
  Value memory = builder.createHeapTemporary(loc, type, ".strings", extents, dynamicLengths);
  auto declare = hlfir::DeclareOp::create(builder, loc, memory, ".strings", shape, lengths);
  return {hlfir::Entity{declare.getBase()}, memory};
}

void free(fir::FirOpBuilder &builder, Location loc, const Temporary &temporary) {
  if (temporary.heap)
    fir::FreeMemOp::create(builder, loc, temporary.heap);
}

/// A whole allocatable on the left side takes the right side's shape, and its length if that is deferred.
void assign(fir::FirOpBuilder &builder, Location loc, Value source, hlfir::Entity target) {
  bool isAllocatable = target.isAllocatable();
  bool keepsLength = characterType(target).hasConstantLen();
  hlfir::AssignOp::create(builder, loc, source, target, isAllocatable, isAllocatable && keepsLength);
}

/// Flang's conversion takes a string for one byte, and one string for as many as the target has, unless they go by
/// descriptors.
void moveByDescriptor(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  bool fills = !isArray(transfer.getSrc()) && isArray(transfer.getDst());
  for (OpOperand *operand : {&transfer.getSrcMutable(), &transfer.getDstMutable()}) {
    Type type = operand->get().getType();
    bool isDescriptor = isa<fir::BaseBoxType>(type) || fir::isBoxAddress(type);
    if (!isDescriptor && (fills || characterType(operand->get()).getLen() != 1))
      operand->set(hlfir::genVariableBox(transfer.getLoc(), builder, variableOf(operand->get())));
  }
}

/// What goes to the device is brought to the target's length.
void adjustBeforeSending(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  hlfir::Entity source = hlfir::derefPointersAndAllocatables(loc, builder, variableOf(transfer.getSrc()));
  hlfir::Entity target = variableOf(transfer.getDst());
  Temporary temporary = makeTemporary(builder, loc, source, target);
  assign(builder, loc, source, temporary.variable);
  transfer.getSrcMutable().assign(temporary.variable);
  builder.setInsertionPointAfter(transfer);
  free(builder, loc, temporary);
}

void send(cuf::DataTransferOp transfer, ModuleOp module) {
  if (!needsNoOtherLength(transfer))
    adjustBeforeSending(transfer, module);
  moveByDescriptor(transfer, module);
}

/// What the device sends arrives in a temporary, which becomes the source of a transfer to the device or of an
/// assignment on the host.
void receiveBeforeUse(cuf::DataTransferOp transfer, ModuleOp module) {
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  hlfir::Entity source = hlfir::derefPointersAndAllocatables(loc, builder, variableOf(transfer.getSrc()));
  Temporary temporary = makeTemporary(builder, loc, source, source);
  auto toHost = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  auto received = cuf::DataTransferOp::create(builder, loc, transfer.getSrc(), temporary.variable, Value(), toHost);
  moveByDescriptor(received, module);
  if (transfer.getTransferKind() == cuf::DataTransferKind::DeviceDevice) {
    auto toDevice = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
    auto sent =
        cuf::DataTransferOp::create(builder, loc, temporary.variable, transfer.getDst(), transfer.getShape(), toDevice);
    send(sent, module);
  } else {
    assign(builder, loc, temporary.variable, variableOf(transfer.getDst()));
  }
  builder.setInsertionPointAfter(transfer);
  free(builder, loc, temporary);
  transfer.erase();
}

} // namespace

Value cufort::cufx::receiveString(fir::FirOpBuilder &builder, Location loc, Value string, ModuleOp module) {
  hlfir::Entity source{string};
  Temporary temporary = makeTemporary(builder, loc, source, source);
  auto toHost = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  moveByDescriptor(cuf::DataTransferOp::create(builder, loc, string, temporary.variable, Value(), toHost), module);
  return temporary.variable;
}

void cufort::cufx::repairStringTransfer(cuf::DataTransferOp transfer, ModuleOp module) {
  if (!characterType(transfer.getSrc()) || !characterType(transfer.getDst()))
    return;
  if (transfer.getTransferKind() == cuf::DataTransferKind::HostDevice)
    send(transfer, module);
  else if (needsNoOtherLength(transfer))
    moveByDescriptor(transfer, module);
  else
    receiveBeforeUse(transfer, module);
}
