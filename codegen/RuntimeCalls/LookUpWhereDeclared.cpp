#include "codegen/RuntimeCalls/LookUpWhereDeclared.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

struct LookUpWhereDeclared : PassWrapper<LookUpWhereDeclared, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LookUpWhereDeclared)
  StringRef getArgument() const override { return "cufx-look-up-where-declared"; }

  void runOnOperation() override {
    getOperation().walk([](fir::DeclareOp declare) {
      Operation *name = declare.getMemref().getDefiningOp<fir::AddrOfOp>();
      if (name && declare.getDataAttr() && name->getNextNode() != declare)
        declare.getMemrefMutable().assign(OpBuilder(declare).clone(*name)->getResult(0));
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLookUpWhereDeclared() { return std::make_unique<LookUpWhereDeclared>(); }
