// In: hlfir.sum and others of host code whose operand is or reads a managed array. Out: before the first operation that
// evaluates the operand
//
//   cufx.wait_for_managed %address

#include "mlir-dialects/Cufx/Transforms/ManagedReads.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/AddressHere.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for an array without an attribute whose memory -gpu=mem: lets device code use.
bool isShared(Value array, StringRef mode) {
  if (mode.empty() || dataAttribute(array))
    return false;
  if (mode == "unified")
    return true;
  using Flags = fir::FortranVariableFlagsEnum;
  while (Operation *op = array.getDefiningOp()) {
    if (auto variable = dyn_cast<fir::FortranVariableOpInterface>(op)) {
      auto flags = variable.getFortranAttrs();
      if (flags && fir::bitEnumContainsAny(*flags, Flags::allocatable | Flags::pointer))
        return true;
    }
    if (!isa<hlfir::DesignateOp, hlfir::DeclareOp, fir::LoadOp, fir::ReboxOp, fir::ConvertOp>(op))
      return false;
    array = op->getOperand(0);
  }
  return false;
}

/// A managed array that the expression or array `value` is or reads, or null.
Value managedArrayIn(Value value, StringRef mode) {
  return findArray(value, [&](Value array) {
    return (isDeviceAddressable(array) && !isHiddenFromHost(array)) || isShared(array, mode);
  });
}

/// The first operation in `block`, up to `op`, that evaluates a part of the expression `value`.
Operation *startOf(Value value, Operation *op) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !isa<hlfir::ExprType>(value.getType()) || definition->getBlock() != op->getBlock())
    return op;
  if (definition->isBeforeInBlock(op))
    op = definition;
  SetVector<Value> operands(definition->operand_begin(), definition->operand_end());
  getUsedValuesDefinedAbove(definition->getRegions(), operands);
  for (Value operand : operands)
    op = startOf(operand, op);
  return op;
}

/// The array or expression that the descriptor `box` of an argument describes.
Value describedValue(Value box) {
  while (Operation *op = box.getDefiningOp()) {
    if (auto associate = dyn_cast<hlfir::AssociateOp>(op))
      return associate.getSource();
    if (!isa<fir::ConvertOp, fir::EmboxOp, fir::ReboxOp>(op))
      break;
    box = op->getOperand(0);
  }
  return box;
}

void waitBefore(Operation *op, StringRef mode) {
  Operation *start = op;
  Value array;
  for (Value operand : op->getOperands()) {
    Value value = isa<fir::CallOp>(op) ? describedValue(operand) : operand;
    if (!array)
      array = managedArrayIn(value, mode);
    start = startOf(value, start);
  }
  if (!array)
    return;
  fir::FirOpBuilder builder(start, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  WaitForManagedOp::create(builder, op->getLoc(), addressHere(builder, op->getLoc(), array));
}

/// Routines of the run-time library that functions are which have no operation in HLFIR.
bool isArrayFunctionCall(StringRef callee) {
  static constexpr StringLiteral functions[] = {"Findloc", "Norm2",  "IAll", "IAny",  "IParity",
                                                "Parity",  "Spread", "Pack", "Unpack"};
  return callee.consume_front("_FortranA") &&
         llvm::any_of(functions, [&](StringRef function) { return callee.starts_with(function); });
}

} // namespace

bool cufort::cufx::isArrayFunction(Operation *op) {
  return isa<hlfir::SumOp, hlfir::ProductOp, hlfir::MaxvalOp, hlfir::MinvalOp, hlfir::MaxlocOp, hlfir::MinlocOp,
             hlfir::CountOp, hlfir::AnyOp, hlfir::AllOp, hlfir::DotProductOp, hlfir::MatmulOp, hlfir::TransposeOp,
             hlfir::ReshapeOp, hlfir::CShiftOp, hlfir::EOShiftOp>(op);
}

void cufort::cufx::waitForManagedArrays(ModuleOp module) {
  auto mode = module->getAttrOfType<StringAttr>(hostDataAttribute);
  SmallVector<Operation *> functions;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<fir::CallOp>(op);
    if (!isInDeviceCode(op) && (isArrayFunction(op) || (call && isArrayFunctionCall(calleeName(call)))))
      functions.push_back(op);
  });
  for (Operation *op : functions)
    waitBefore(op, mode ? mode.getValue() : StringRef());
}
