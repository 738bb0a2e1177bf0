// In: hlfir.destroy ... finalize, assignments and calls of Flang's runtime that call final procedures. Out:
// hlfir.destroy without finalize; the others are left as they are, for types without final procedures.

#include "mlir-dialects/Cufx/Transforms/Finalization.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The operand of `op` that Fortran finalizes, or null.
Value finalizedBy(Operation *op) {
  if (auto destroy = dyn_cast<hlfir::DestroyOp>(op))
    return destroy.mustFinalizeExpr() ? destroy.getExpr() : Value();
  if (auto assign = dyn_cast<hlfir::AssignOp>(op))
    return assign.getLhs();
  if (auto deallocate = dyn_cast<cuf::DeallocateOp>(op))
    return deallocate.getBox();
  auto call = dyn_cast<fir::CallOp>(op);
  StringRef name = call ? calleeName(call) : StringRef();
  bool finalizes = name.consume_front("_FortranA") && (name == "Destroy" || name == "Finalize" ||
                                                       name == "AllocatableDeallocate" || name == "PointerDeallocate");
  return finalizes ? beforeConversion(call.getArgs()[0]) : Value();
}

bool hasFinalProcedure(Value object) {
  fir::RecordType type = staticRecordType(object.getType());
  if (!type)
    return false;
  auto module = object.getParentRegion()->getParentOfType<ModuleOp>();
  auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
  return info && !info.getNoFinal();
}

/// True if a component of `type`, or of such a component, has CLASS: what it holds may have a final procedure.
bool holdsPolymorphic(fir::RecordType type) {
  return llvm::any_of(type.getTypeList(), [](const auto &component) {
    auto nested = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(component.second));
    return isa<fir::ClassType>(component.second) || (nested && holdsPolymorphic(nested));
  });
}

/// Where `object` is declared, or where `op` is.
Location declarationOf(Value object, Operation *op) {
  while (Operation *definition = object.getDefiningOp()) {
    if (isa<hlfir::DeclareOp>(definition))
      return definition->getLoc();
    if (!isa<fir::EmboxOp, fir::ConvertOp>(definition))
      break;
    object = definition->getOperand(0);
  }
  return op->getLoc();
}

LogicalResult report(Operation *op, Value object) {
  StringRef variable = variableName(object);
  fir::RecordType type = staticRecordType(object.getType());
  if (type && holdsPolymorphic(type) && !variable.empty())
    return emitError(declarationOf(object, op))
           << "'" << variable << "' has a type with components that have CLASS: device code cannot end what these hold";
  auto message = op->emitError("device code does not call final procedures: ");
  if (variable.empty())
    return message << "this value has a type with one";
  return message << "'" << variable << "' has a type with one";
}

} // namespace

LogicalResult cufort::cufx::dropFinalization(ModuleOp module) {
  LogicalResult result = success();
  module.walk([&](Operation *op) {
    Value object = finalizedBy(op);
    if (!object || !isInDeviceCode(op))
      return;
    if (hasFinalProcedure(object))
      result = report(op, object);
    else if (auto destroy = dyn_cast<hlfir::DestroyOp>(op))
      destroy.removeFinalizeAttr();
  });
  return result;
}
