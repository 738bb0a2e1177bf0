// C's complex functions in device code, which Flang calls for sqrt, exp and others, and complex powers become calls of
// the device library. Procedures for both sides have been separated before: host code keeps its calls.
//
// The library's routines work on values in memory, `void __cufx_csqrt_c8(complex<f64> *)`: how complex values are
// passed and returned differs between C and Fortran on the devices. Inlining makes registers of the memory again.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/StringSet.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISECOMPLEXFUNCTIONS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool isComplexFunction(StringRef name) {
  static const llvm::StringSet<> names = {"csqrt", "cexp",  "clog",  "csin",  "ccos",   "ctan",   "csinh", "ccosh",
                                          "ctanh", "casin", "cacos", "catan", "casinh", "cacosh", "catanh"};
  return names.contains(name);
}

StringRef suffixOf(ComplexType type) { return type.getElementType().isF32() ? "_c4" : "_c8"; }

/// A variable at the start of the device code around `op`, which holds `value` at `op`.
Value createVariable(OpBuilder &builder, Operation *op, Value value) {
  OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(op));
  Value variable = fir::AllocaOp::create(atStart, op->getLoc(), value.getType());
  fir::StoreOp::create(builder, op->getLoc(), value, variable);
  return variable;
}

fir::CallOp createCall(OpBuilder &builder, Operation *op, StringRef name, ValueRange arguments,
                       TypeRange results = {}) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    function = func::FuncOp::create(atEnd, op->getLoc(), name, builder.getFunctionType(arguments.getTypes(), results));
    function.setPrivate();
  }
  return fir::CallOp::create(builder, op->getLoc(), function, arguments);
}

/// Replaces `op`, a function of its operands, by a call that leaves the result where the first operand was.
void replaceByLibraryCall(Operation *op, StringRef function) {
  OpBuilder builder(op);
  SmallVector<Value> variables;
  for (Value operand : op->getOperands())
    variables.push_back(createVariable(builder, op, operand));
  auto type = cast<ComplexType>(op->getResult(0).getType());
  createCall(builder, op, ("__cufx_" + function + suffixOf(type)).str(), variables);
  op->getResult(0).replaceAllUsesWith(fir::LoadOp::create(builder, op->getLoc(), variables.front()));
  op->erase();
}

/// |z| is the hypotenuse of its parts.
void replaceAbsoluteValue(fir::CallOp call) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  StringRef name = call.getResult(0).getType().isF32() ? "__nv_hypotf" : "__nv_hypot";
  Value re = complex::ReOp::create(builder, loc, call.getArgs()[0]);
  Value im = complex::ImOp::create(builder, loc, call.getArgs()[0]);
  call.getResult(0).replaceAllUsesWith(createCall(builder, call, name, {re, im}, re.getType()).getResult(0));
  call.erase();
}

void raiseCall(fir::CallOp call) {
  StringRef name = calleeName(call);
  // Procedures of the program take complex values too.
  if (name.empty() || call.getArgs().empty() || !isa<ComplexType>(call.getArgs()[0].getType()) || !call.getNumResults())
    return;
  if (isa<ComplexType>(call.getResultTypes().front()))
    name.consume_back("f");
  if (name == "cabs" || name == "cabsf")
    replaceAbsoluteValue(call);
  else if (isComplexFunction(name))
    replaceByLibraryCall(call, name);
}

struct RaiseComplexFunctionsPass : cufort::cufx::impl::RaiseComplexFunctionsBase<RaiseComplexFunctionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<fir::CallOp, complex::PowOp>(op) && isInDeviceCode(op))
        found.push_back(op);
    });
    for (Operation *op : found) {
      if (auto call = dyn_cast<fir::CallOp>(op))
        raiseCall(call);
      else
        replaceByLibraryCall(op, "cpow");
    }
  }
};

} // namespace
