// In: lowering evaluates an argument that is an expression into a host temporary:
//
//   %argument = hlfir.associate %expression
//   fir.call @_QMcutensorexPpack...(..., %argument, ...)
//   hlfir.end_associate %argument
//
// Out: the temporary is in device memory, and a kernel fills it.

#include "mlir-dialects/Cufx/Transforms/DeviceArguments.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The call of a procedure of cutensorex that `value` is passed to, or null.
fir::CallOp arrayFunctionCall(Value value) {
  for (Operation *user : value.getUsers()) {
    if (auto call = dyn_cast<fir::CallOp>(user); call && calleeName(call).starts_with("_QMcutensorexP"))
      return call;
    if (isa<fir::ConvertOp, fir::EmboxOp, fir::ReboxOp>(user))
      if (fir::CallOp call = arrayFunctionCall(user->getResult(0)))
        return call;
  }
  return {};
}

/// `array`, or its address, as `type`.
Value as(fir::FirOpBuilder &builder, Location loc, hlfir::DeclareOp array, Type type) {
  bool isBox = isa<fir::BaseBoxType>(type);
  return builder.createConvert(loc, type, isBox ? array.getBase() : array.getOriginalBase());
}

void evaluateOnDevice(hlfir::AssociateOp associate, ModuleOp module) {
  fir::FirOpBuilder builder(associate.getOperation(), fir::getKindMapping(module));
  Location loc = associate.getLoc();
  Value source = associate.getSource();
  DeviceExpression expression(builder, loc, source);
  hlfir::DeclareOp array = createDeviceTemporary(builder, loc, expression.elementType(), expression.extents());
  evaluateInto(builder, loc, expression, hlfir::Entity{array.getBase()});
  for (Operation *user : llvm::make_early_inc_range(associate.getMustFreeStrorageFlag().getUsers())) {
    builder.setInsertionPoint(user);
    freeDeviceTemporary(builder, array);
    user->erase();
  }
  builder.setInsertionPoint(associate);
  for (unsigned number : {0, 1})
    associate.getResult(number).replaceAllUsesWith(as(builder, loc, array, associate.getResult(number).getType()));
  associate.erase();
  eraseExpression(source);
}

} // namespace

LogicalResult cufort::cufx::passDeviceExpressions(ModuleOp module) {
  SmallVector<hlfir::AssociateOp> arguments;
  module.walk([&](hlfir::AssociateOp associate) {
    bool isExpression = isa<hlfir::ExprType>(associate.getSource().getType()) &&
                        hlfir::Entity{associate.getSource()}.isArray();
    if (isExpression && !isInDeviceCode(associate) &&
        (arrayFunctionCall(associate.getResult(0)) || arrayFunctionCall(associate.getResult(1))))
      arguments.push_back(associate);
  });
  LogicalResult result = success();
  for (hlfir::AssociateOp argument : arguments) {
    if (DeviceExpression::isOne(argument.getSource()))
      evaluateOnDevice(argument, module);
    else
      result = argument.emitError("this argument has to be a device array or an expression of device arrays");
  }
  return result;
}
