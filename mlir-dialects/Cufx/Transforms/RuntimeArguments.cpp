#include "mlir-dialects/Cufx/Transforms/RuntimeArguments.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/StringTransfers.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// What `argument` describes or is the address of.
Value memoryBehind(Value argument) {
  Value memory = beforeConversion(argument);
  if (auto embox = memory.getDefiningOp<fir::EmboxOp>())
    memory = embox.getMemref();
  return stringAt(memory);
}

/// The arguments of `call` that are read, and nothing else.
MutableOperandRange readArguments(fir::CallOp call) {
  MutableOperandRange arguments = call.getArgsMutable();
  StringRef callee = calleeName(call);
  if (onlyReadsArguments(callee))
    return arguments;
  // SOURCE= of what is not on the device.
  bool hasSource = callee == "_FortranAAllocatableAllocateSource" || callee == "_FortranAPointerAllocateSource";
  bool isOfHost = hasSource && !isDeviceAddressable(call.getArgs()[0]);
  return isOfHost ? arguments.slice(1, 1) : arguments.slice(0, 0);
}

void copyArgument(OpOperand &argument, ModuleOp module) {
  Operation *call = argument.getOwner();
  fir::FirOpBuilder builder(call, fir::getKindMapping(module));
  Location loc = call->getLoc();
  hlfir::Entity memory = variableOf(memoryBehind(argument.get()));
  Value copy;
  if (memory.isArray()) {
    auto [array, heap] = copyToHost(builder, loc, memory);
    copy = array;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(call);
    fir::FreeMemOp::create(builder, loc, heap);
  } else {
    copy = copyScalarToHost(builder, loc, memory);
  }
  if (isa<fir::BaseBoxType>(argument.get().getType()))
    copy = hlfir::genVariableBox(loc, builder, hlfir::Entity{copy});
  else
    copy = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{copy});
  argument.set(builder.createConvert(loc, argument.get().getType(), copy));
}

/// ICHAR and its like load the first character of a string.
bool readsCharacter(fir::LoadOp load) {
  return isa<fir::CharacterType>(load.getType()) && isHiddenFromHost(load.getMemref());
}

void copyCharacter(fir::LoadOp load, ModuleOp module) {
  fir::FirOpBuilder builder(load.getOperation(), fir::getKindMapping(module));
  Value copy = receiveString(builder, load.getLoc(), variableOf(beforeConversion(load.getMemref())), module);
  copy = hlfir::genVariableRawAddress(load.getLoc(), builder, hlfir::Entity{copy});
  load.getMemrefMutable().assign(builder.createConvert(load.getLoc(), load.getMemref().getType(), copy));
}

} // namespace

void cufort::cufx::copyArgumentsOfRuntime(ModuleOp module) {
  SmallVector<OpOperand *> arguments;
  SmallVector<fir::LoadOp> characters;
  module.walk([&](Operation *op) {
    if (isInDeviceCode(op))
      return;
    if (auto load = dyn_cast<fir::LoadOp>(op); load && readsCharacter(load))
      characters.push_back(load);
    auto call = dyn_cast<fir::CallOp>(op);
    if (!call)
      return;
    for (OpOperand &argument : readArguments(call))
      if (Value memory = memoryBehind(argument.get());
          hlfir::isFortranVariableType(memory.getType()) && isHiddenFromHost(memory))
        arguments.push_back(&argument);
  });
  for (OpOperand *argument : arguments)
    copyArgument(*argument, module);
  for (fir::LoadOp load : characters)
    copyCharacter(load, module);
}
