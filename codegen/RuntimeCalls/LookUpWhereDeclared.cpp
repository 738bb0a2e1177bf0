#include "codegen/RuntimeCalls/LookUpWhereDeclared.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

/// VOLATILE stands between a name and its declaration, where the conversion would not see that there is one:
///   %declared = fir.declare (fir.volatile_cast %name)
/// becomes
///   %declared = fir.volatile_cast (fir.declare %name)
void declareBeforeCast(fir::DeclareOp declare) {
  auto cast = declare.getMemref().getDefiningOp<fir::VolatileCastOp>();
  if (!cast || !declare.getDataAttr() || !cast.getValue().getDefiningOp<fir::AddrOfOp>())
    return;
  OpBuilder builder(declare);
  builder.setInsertionPointAfter(declare);
  Value result = fir::VolatileCastOp::create(builder, declare.getLoc(), declare.getType(), declare.getResult());
  declare.getResult().replaceAllUsesExcept(result, result.getDefiningOp());
  declare.getMemrefMutable().assign(cast.getValue());
  declare.getResult().setType(cast.getValue().getType());
}

struct LookUpWhereDeclared : PassWrapper<LookUpWhereDeclared, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LookUpWhereDeclared)
  StringRef getArgument() const override { return "cufx-look-up-where-declared"; }

  void runOnOperation() override {
    getOperation().walk(declareBeforeCast);
    getOperation().walk([](fir::DeclareOp declare) {
      Operation *name = declare.getMemref().getDefiningOp<fir::AddrOfOp>();
      if (name && declare.getDataAttr() && name->getNextNode() != declare)
        declare.getMemrefMutable().assign(OpBuilder(declare).clone(*name)->getResult(0));
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLookUpWhereDeclared() { return std::make_unique<LookUpWhereDeclared>(); }
