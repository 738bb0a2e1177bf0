#include "codegen/Device/WidenSubscripts.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

template <typename Operation>
struct WidenConversion : OpRewritePattern<fir::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fir::ConvertOp convert, PatternRewriter &rewriter) const override {
    Type wide = convert.getType();
    auto narrow = convert.getValue().template getDefiningOp<Operation>();
    if (!narrow || !narrow.getType().isInteger(32) || !(wide.isInteger(64) || wide.isIndex()) ||
        !bitEnumContainsAny(narrow.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
      return failure();
    auto widen = [&](Value value) { return fir::ConvertOp::create(rewriter, convert.getLoc(), wide, value); };
    Value left = widen(narrow.getLhs()), right = widen(narrow.getRhs());
    rewriter.replaceOpWithNewOp<Operation>(convert, left, right, arith::IntegerOverflowFlags::nsw);
    return success();
  }
};

struct WidenSubscripts : PassWrapper<WidenSubscripts, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenSubscripts)

  StringRef getArgument() const override { return "cufx-widen-subscripts"; }
  StringRef getDescription() const override { return "compute sums that become subscripts in 64 bits"; }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WidenConversion<arith::AddIOp>, WidenConversion<arith::SubIOp>>(&getContext());
    // Blocks that are alike but for their variables must not become one, or the variables could not be in registers.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createWidenSubscripts() { return std::make_unique<WidenSubscripts>(); }
