#include "codegen/RuntimeCalls/LowerMod.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace {

Value createMod(OpBuilder &builder, Location loc, Value a, Value p) {
  return arith::RemFOp::create(builder, loc, a, p);
}

/// The remainder, plus `p` if its sign is not that of `p`. Zero has the sign of `p`.
Value createModulo(OpBuilder &builder, Location loc, Value a, Value p) {
  Value rest = createMod(builder, loc, a, p);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(a.getType()));
  auto isNegative = [&](Value value) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, value, zero);
  };
  Value differ = arith::XOrIOp::create(builder, loc, isNegative(rest), isNegative(p));
  Value sum = arith::AddFOp::create(builder, loc, rest, p);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, rest, zero);
  Value zeroOfSign = math::CopySignOp::create(builder, loc, zero, p);
  Value nonzero = arith::SelectOp::create(builder, loc, differ, sum, rest);
  return arith::SelectOp::create(builder, loc, isZero, zeroOfSign, nonzero);
}

struct LowerMod : PassWrapper<LowerMod, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMod)
  StringRef getArgument() const override { return "cufx-lower-mod"; }

  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<math::MathDialect>(); }

  void runOnOperation() override {
    constexpr StringRef kinds[] = {"4", "8", "10"};
    SmallVector<std::pair<fir::CallOp, bool>> found; // and whether it is MODULO
    getOperation().walk([&](fir::CallOp call) {
      if (!call.getCallee())
        return;
      StringRef function = call.getCallee()->getRootReference().getValue();
      bool isModulo = function.consume_front("_FortranAModuloReal");
      if ((isModulo || function.consume_front("_FortranAModReal")) && llvm::is_contained(kinds, function))
        found.emplace_back(call, isModulo);
    });
    for (auto [call, isModulo] : found) {
      OpBuilder builder(call);
      Value a = call.getArgs()[0], p = call.getArgs()[1];
      call.getResult(0).replaceAllUsesWith((isModulo ? createModulo : createMod)(builder, call.getLoc(), a, p));
      call.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerMod() { return std::make_unique<LowerMod>(); }
