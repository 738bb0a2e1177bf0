// A dummy argument with CLASS and INTENT(OUT) loses what its allocatable components hold and gets initial values, all
// as its dynamic type says. The description of a type (DescribeTypes.cpp) has the address of a function for that.
//
// In: device code with fir.call @_FortranADestroy and @_FortranAInitialize for such arguments. Out: fir.call
// @cufortResetObject, of the device library, and a function @cufortReset_type for each type of device code and those
// that it extends, if it needs one. That of a type for which this is not possible ends the kernel with a message.

#include "mlir-dialects/Cufx/Transforms/ResetObjects.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/RecordBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

std::string cufort::cufx::resetFunctionName(StringRef record) { return (resetFunctionPrefix + record).str(); }

namespace {

/// Where the argument of `call`, one of Flang's runtime, is declared with CLASS and INTENT(OUT), or null.
hlfir::DeclareOp polymorphicOutput(fir::CallOp call) {
  auto declare = beforeConversion(call.getArgs()[0]).getDefiningOp<hlfir::DeclareOp>();
  auto attributes = declare ? declare.getFortranAttrs() : std::nullopt;
  bool isOutput = attributes && bitEnumContainsAny(*attributes, fir::FortranVariableFlagsEnum::intent_out);
  return isOutput && isa<fir::ClassType>(declare.getResult(0).getType()) ? declare : hlfir::DeclareOp();
}

fir::RecordType recordOf(Type type) {
  if (auto description = dyn_cast<fir::TypeDescType>(type))
    type = description.getOfTy();
  return dyn_cast_or_null<fir::RecordType>(hlfir::getFortranElementType(type));
}

class ObjectResets {
public:
  explicit ObjectResets(ModuleOp module) : module(module) {}

  LogicalResult run() {
    SmallVector<fir::CallOp> calls;
    module.walk([&](fir::CallOp call) {
      StringRef name = calleeName(call);
      if ((name == "_FortranADestroy" || name == "_FortranAInitialize") && isInDeviceCode(call))
        calls.push_back(call);
    });
    LogicalResult result = success();
    for (fir::CallOp call : calls)
      if (failed(reset(call)))
        result = failure();
    collectTypes();
    for (fir::TypeInfoOp type : types)
      define(type);
    return result;
  }

private:
  /// The initialisation stands behind what ends the object, and does both.
  LogicalResult reset(fir::CallOp call) {
    hlfir::DeclareOp declare = polymorphicOutput(call);
    if (!declare)
      return success();
    if (calleeName(call) == "_FortranADestroy") {
      call.erase();
      return success();
    }
    fir::RecordType type = recordOf(declare.getResult(0).getType());
    fir::FirOpBuilder builder(call, fir::getKindMapping(module));
    if (StringRef why = type ? RecordBuilder(builder, call.getLoc()).whyNotReset(type) : ""; !why.empty())
      return call.emitError() << "the argument '" << variableName(declare.getResult(0))
                              << "' of a device procedure cannot have CLASS and INTENT(OUT), because its type has "
                              << why << "; write INTENT(INOUT), and assign its components";
    callReset(builder, call);
    return success();
  }

  void callReset(fir::FirOpBuilder &builder, fir::CallOp call) {
    constexpr StringRef name = "cufortResetObject";
    Value object = call.getArgs()[0];
    func::FuncOp routine = builder.getNamedFunction(name);
    if (!routine)
      routine = builder.createFunction(call.getLoc(), name, builder.getFunctionType(object.getType(), {}));
    fir::CallOp::create(builder, call.getLoc(), routine, ValueRange{object});
    call.erase();
  }

  /// Only types that stand in device code have descriptions, and those that they extend.
  void collectTypes() {
    module.walk([&](Operation *op) {
      if (op->getNumResults() == 0 || !isInDeviceCode(op))
        return;
      for (Type type : op->getResultTypes())
        note(recordOf(type));
      if (auto description = dyn_cast<fir::TypeDescOp>(op))
        note(recordOf(description.getInType()));
    });
    for (unsigned i = 0; i < types.size(); ++i)
      if (auto parent = fir::TypeInfoOp(types[i]).getIfParentName())
        note(*parent);
  }

  void note(fir::RecordType type) {
    if (type)
      note(type.getName());
  }

  void note(StringRef type) {
    if (auto info = module.lookupSymbol<fir::TypeInfoOp>(type))
      types.insert(info);
  }

  void define(fir::TypeInfoOp info) {
    auto type = dyn_cast<fir::RecordType>(info.getType());
    fir::FirOpBuilder builder(info, fir::getKindMapping(module));
    if (type)
      RecordBuilder(builder, info.getLoc()).defineReset(type);
  }

  ModuleOp module;
  llvm::SetVector<fir::TypeInfoOp> types;
};

} // namespace

LogicalResult cufort::cufx::resetObjects(ModuleOp module) { return ObjectResets(module).run(); }
