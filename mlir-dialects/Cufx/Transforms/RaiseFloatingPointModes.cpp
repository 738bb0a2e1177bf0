// In: what Flang makes of functions of ieee_arithmetic, and of procedures that use ieee_exceptions:
//
//   %exception = fir.call @_FortranAMapException(%flag)
//   fir.call @_FortranAferaiseexcept(%exception)
//
//   %old = fir.call @llvm.get.rounding()
//   fir.call @llvm.set.rounding(%mode)
//   %result = fir.call @llvm.nearbyint.f32(%x)
//   fir.call @llvm.set.rounding(%old)
//
// Out: nothing for the first, and %result = fir.call @cufortRint4(%x, %mode) for the second.

#include "mlir-dialects/Cufx/Transforms/RaiseFloatingPointModes.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// As in llvm.get.rounding.
constexpr int64_t toNearest = 1;

/// What asks for exceptions or sets them; the values are those of an environment without any.
constexpr StringRef exceptionRoutines[] = {
    "_FortranAMapException", "_FortranAferaiseexcept", "feraiseexcept",   "fetestexcept",
    "feclearexcept",         "feenableexcept",         "fedisableexcept", "fegetexcept"};

void replaceByConstant(fir::CallOp call, int64_t value) {
  OpBuilder builder(call);
  for (Value result : call.getResults())
    result.replaceAllUsesWith(
        arith::ConstantOp::create(builder, call.getLoc(), builder.getIntegerAttr(result.getType(), value)));
  call.erase();
}

/// Calls `name`, with `arguments`, in the place of `call`.
void replaceByCall(fir::CallOp call, StringRef name, ValueRange arguments) {
  auto module = call->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    auto type = atEnd.getFunctionType(arguments.getTypes(), call.getResultTypes());
    func::FuncOp::create(atEnd, call.getLoc(), name, type).setPrivate();
  }
  OpBuilder builder(call);
  SmallVector<Type> results(call.getResultTypes());
  auto replacement =
      fir::CallOp::create(builder, call.getLoc(), SymbolRefAttr::get(builder.getContext(), name), results, arguments);
  call.replaceAllUsesWith(replacement);
  call.erase();
}

bool isCallOf(Operation *op, StringRef prefix) {
  auto call = dyn_cast_or_null<fir::CallOp>(op);
  return call && calleeName(call).starts_with(prefix);
}

/// True for a call that sets what a call of `question` has found: Flang puts them at the ends of procedures.
bool restores(fir::CallOp setting, StringRef question) {
  return isCallOf(beforeConversion(setting.getArgs()[0]).getDefiningOp(), question);
}

/// Replaces the rounding between `setting` and the call that sets the old mode again. Returns false if something else
/// happens there.
bool replaceRounding(fir::CallOp setting) {
  SmallVector<fir::CallOp> roundings;
  Operation *op = setting->getNextNode();
  for (; op && (isCallOf(op, "llvm.nearbyint.") || isa<fir::ConvertOp>(op)); op = op->getNextNode())
    if (auto call = dyn_cast<fir::CallOp>(op))
      roundings.push_back(call);
  if (roundings.empty() || !isCallOf(op, "llvm.set.rounding"))
    return false;
  for (fir::CallOp call : roundings) {
    Value x = call.getArgs()[0];
    replaceByCall(call, x.getType().isF32() ? "cufortRint4" : "cufortRint8", {x, setting.getArgs()[0]});
  }
  return true;
}

LogicalResult raiseRoundingMode(fir::CallOp setting) {
  bool isReplaced = restores(setting, "llvm.get.rounding") || replaceRounding(setting);
  if (!isReplaced)
    return setting.emitError("device code cannot set a rounding mode; use functions for one operation like __fadd_ru "
                             "or __dmul_rz of module cudadevice");
  setting.erase();
  return success();
}

LogicalResult raiseUnderflowMode(fir::CallOp setting) {
  if (!restores(setting, "_FortranAGetUnderflowMode"))
    return setting.emitError("device code cannot set an underflow mode; -gpu=flushz compiles for abrupt underflow");
  setting.erase();
  return success();
}

} // namespace

LogicalResult cufort::cufx::raiseFloatingPointModes(ModuleOp module) {
  llvm::StringMap<SmallVector<fir::CallOp>> calls;
  module.walk([&](fir::CallOp call) {
    if (isInDeviceCode(call))
      calls[calleeName(call)].push_back(call);
  });
  for (StringRef name : exceptionRoutines)
    for (fir::CallOp call : calls.lookup(name))
      replaceByConstant(call, 0);
  for (StringRef name : {"remainder", "remainderf"})
    for (fir::CallOp call : calls.lookup(name))
      replaceByCall(call, ("__nv_" + name).str(), call.getArgs());
  LogicalResult result = success();
  for (fir::CallOp call : calls.lookup("llvm.set.rounding"))
    if (failed(raiseRoundingMode(call)))
      result = failure();
  for (fir::CallOp call : calls.lookup("_FortranASetUnderflowMode"))
    if (failed(raiseUnderflowMode(call)))
      result = failure();
  for (fir::CallOp call : calls.lookup("llvm.get.rounding"))
    replaceByConstant(call, toNearest);
  for (fir::CallOp call : calls.lookup("_FortranAGetUnderflowMode"))
    replaceByConstant(call, /*gradual*/ 1);
  return result;
}
