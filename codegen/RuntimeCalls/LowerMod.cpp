#include "codegen/RuntimeCalls/LowerMod.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

struct LowerMod : PassWrapper<LowerMod, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMod)
  StringRef getArgument() const override { return "cufx-lower-mod"; }

  void runOnOperation() override {
    constexpr StringRef names[] = {"_FortranAModReal4", "_FortranAModReal8"};
    SmallVector<fir::CallOp> found;
    getOperation().walk([&](fir::CallOp call) {
      auto callee = call.getCallee();
      if (callee && llvm::is_contained(names, callee->getRootReference().getValue()))
        found.push_back(call);
    });
    for (fir::CallOp call : found) {
      OpBuilder builder(call);
      Value rest = arith::RemFOp::create(builder, call.getLoc(), call.getArgs()[0], call.getArgs()[1]);
      call.getResult(0).replaceAllUsesWith(rest);
      call.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerMod() { return std::make_unique<LowerMod>(); }
