#include "codegen/Device/KernelRounds.h"
#include "mlir-dialects/Cufx/Transforms/KernelRounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace cufort;
using namespace cufort::codegen;

namespace {

struct KernelRounds : PassWrapper<KernelRounds, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelRounds)

  explicit KernelRounds(DeviceTarget target) : target(target) {}

  StringRef getArgument() const override { return "cufx-kernel-rounds"; }
  StringRef getDescription() const override { return "settle how many iterations a thread of a CUF kernel may have"; }

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel->removeAttr(cufx::roundsAttribute) && target == DeviceTarget::Emulated)
      setToOne(kernel, kernel.getArguments().back());
  }

  void setToOne(func::FuncOp kernel, BlockArgument rounds) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
    rounds.replaceAllUsesWith(arith::ConstantIntOp::create(builder, kernel.getLoc(), rounds.getType(), 1));
    RewritePatternSet patterns(&getContext());
    cf::CondBranchOp::getCanonicalizationPatterns(patterns, &getContext());
    arith::CmpIOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
      signalPassFailure();
  }

  DeviceTarget target;
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createKernelRounds(DeviceTarget target) {
  return std::make_unique<KernelRounds>(target);
}
