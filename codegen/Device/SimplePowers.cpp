#include "codegen/Device/SimplePowers.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

/// What `value` is in parentheses.
Value withoutParentheses(Value value) {
  auto parentheses = value.getDefiningOp<fir::NoReassocOp>();
  return parentheses ? parentheses.getVal() : value;
}

/// True if `number` is odd.
Value parityOf(OpBuilder &builder, Location loc, Value number) {
  Value one = arith::ConstantIntOp::create(builder, loc, number.getType(), 1);
  Value bit = arith::AndIOp::create(builder, loc, number, one);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bit, one);
}

/// 2**k is 0 if k is negative, and what fits into the type otherwise; (-1)**k changes its sign.
struct IntegerPower : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op, PatternRewriter &rewriter) const override {
    APInt base;
    Location loc = op.getLoc();
    Type type = op.getType();
    if (!type.isInteger() || !matchPattern(withoutParentheses(op.getLhs()), m_ConstantInt(&base)) ||
        base.getBitWidth() < 8)
      return failure();
    auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(rewriter, loc, type, value); };
    Value exponent = op.getRhs();
    if (base.isAllOnes()) {
      Value isOdd = parityOf(rewriter, loc, exponent);
      rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOdd, number(-1), number(1));
      return success();
    }
    if (base != 2)
      return failure();
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, exponent, number(base.getBitWidth()));
    Value power = arith::ShLIOp::create(rewriter, loc, number(1), exponent);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, fits, power, number(0));
    return success();
  }
};

struct PowerOfMinusOne : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    APFloat base(0.0);
    if (!matchPattern(withoutParentheses(op.getLhs()), m_ConstantFloat(&base)) || !base.isExactlyValue(-1.0))
      return failure();
    auto number = [&](double value) -> Value {
      APFloat converted(value);
      bool losesInfo;
      converted.convert(base.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      return arith::ConstantFloatOp::create(rewriter, op.getLoc(), cast<FloatType>(op.getType()), converted);
    };
    Value isOdd = parityOf(rewriter, op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOdd, number(-1), number(1));
    return success();
  }
};

/// Powers of 2, and of what is a power of 2, are bits of the exponent: two factors with half of it each, so that what
/// is denormal or too large comes out as such.
struct PowerOfTwo : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    APFloat base(0.0);
    Type type = op.getType();
    if (!(type.isF32() || type.isF64()) || !matchPattern(withoutParentheses(op.getLhs()), m_ConstantFloat(&base)) ||
        base.getExactLog2() == INT_MIN)
      return failure();
    const llvm::fltSemantics &semantics = base.getSemantics();
    int digits = APFloat::semanticsPrecision(semantics), greatest = APFloat::semanticsMaxExponent(semantics);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value exponent = exponentWithin(builder, op.getRhs(), base.getExactLog2(), -greatest - digits, greatest + 1);
    Value one = arith::ConstantIntOp::create(builder, builder.getI32Type(), 1);
    Value half = arith::ShRSIOp::create(builder, exponent, one);
    auto power = [&](Value value) -> Value {
      Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
      auto number = [&](Type of, int value) -> Value { return arith::ConstantIntOp::create(builder, of, value); };
      value = arith::AddIOp::create(builder, value, number(builder.getI32Type(), greatest));
      value = bits == value.getType() ? value : arith::ExtUIOp::create(builder, bits, value).getResult();
      value = arith::ShLIOp::create(builder, value, number(bits, digits - 1));
      return arith::BitcastOp::create(builder, type, value);
    };
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, power(half), power(arith::SubIOp::create(builder, exponent, half)));
    return success();
  }

private:
  /// `number` times `factor`, of 32 bits, if it lies between `least` and `most`, or what is beyond these.
  static Value exponentWithin(ImplicitLocOpBuilder &builder, Value number, int factor, int least, int most) {
    Type word = builder.getI32Type();
    if (number.getType().getIntOrFloatBitWidth() < 32)
      number = arith::ExtSIOp::create(builder, word, number);
    auto clamp = [&](Value value) -> Value {
      auto limit = [&](int bound) -> Value { return arith::ConstantIntOp::create(builder, value.getType(), bound); };
      value = arith::MaxSIOp::create(builder, value, limit(least));
      return arith::MinSIOp::create(builder, value, limit(most));
    };
    auto narrow = [&](Value value) -> Value {
      return value.getType() == word ? value : arith::TruncIOp::create(builder, word, value).getResult();
    };
    if (factor == 1)
      return narrow(clamp(number));
    // Beyond `most` in size the product is so, too.
    if (factor < 0)
      std::tie(least, most) = std::pair(std::min(least, -most), std::max(most, -least));
    Value near = narrow(clamp(number));
    return clamp(arith::MulIOp::create(builder, near, arith::ConstantIntOp::create(builder, word, factor)));
  }
};

/// The square of a size, as abs(z)**2, is a sum of squares.
struct SquareOfSize : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    APInt exponent;
    auto size = withoutParentheses(op.getLhs()).getDefiningOp<fir::CallOp>();
    StringRef name = size && size.getCallee() ? size.getCallee()->getRootReference().getValue() : "";
    if ((name != "__nv_hypot" && name != "__nv_hypotf") || !matchPattern(op.getRhs(), m_ConstantInt(&exponent)) ||
        exponent != 2)
      return failure();
    auto square = [&](Value part) -> Value {
      return arith::MulFOp::create(rewriter, op.getLoc(), part, part, op.getFastmathAttr());
    };
    Value re = square(size.getArgOperands()[0]), im = square(size.getArgOperands()[1]);
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, re, im, op.getFastmathAttr());
    return success();
  }
};

/// x**13 is x * x**4 * x**8: the factors of the library's loop, in its order.
template <typename PowerOp, typename ProductOp>
struct KnownPower : OpRewritePattern<PowerOp> {
  using OpRewritePattern<PowerOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(PowerOp op, PatternRewriter &rewriter) const override {
    constexpr uint64_t most = 64;
    APInt exponent;
    Type type = op.getType();
    bool isReal = type.isF32() || type.isF64();
    if (!(isReal || type.isInteger()) || !matchPattern(withoutParentheses(op.getRhs()), m_ConstantInt(&exponent)) ||
        exponent.isZero() || exponent.abs().ugt(most) || (!isReal && exponent.isNegative()))
      return failure();
    auto product = [&](Value left, Value right) -> Value {
      if constexpr (std::is_same_v<ProductOp, arith::MulFOp>)
        return ProductOp::create(rewriter, op.getLoc(), left, right, op.getFastmathAttr());
      else
        return ProductOp::create(rewriter, op.getLoc(), left, right);
    };
    Value result, factor = op.getLhs();
    for (uint64_t rest = exponent.abs().getZExtValue(); rest; rest /= 2) {
      if (rest % 2)
        result = result ? product(result, factor) : factor;
      if (rest > 1)
        factor = product(factor, factor);
    }
    if constexpr (std::is_same_v<ProductOp, arith::MulFOp>)
      if (exponent.isNegative()) {
        Value one = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getFloatAttr(type, 1.0));
        result = arith::DivFOp::create(rewriter, op.getLoc(), one, result, op.getFastmathAttr());
      }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct PowerByRoots : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    APFloat exponent(0.0);
    if (!(op.getType().isF32() || op.getType().isF64()) ||
        !matchPattern(withoutParentheses(op.getRhs()), m_ConstantFloat(&exponent)))
      return failure();
    Location loc = op.getLoc();
    auto root = [&](Value x) -> Value { return math::SqrtOp::create(rewriter, loc, x, op.getFastmathAttr()); };
    Value x = op.getLhs();
    if (exponent.isExactlyValue(0.5))
      rewriter.replaceOp(op, root(x));
    else if (exponent.isExactlyValue(0.25))
      rewriter.replaceOp(op, root(root(x)));
    else if (exponent.isExactlyValue(1.5))
      rewriter.replaceOpWithNewOp<arith::MulFOp>(op, x, root(x), op.getFastmathAttr());
    else
      return failure();
    return success();
  }
};

struct SimplePowers : PassWrapper<SimplePowers, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplePowers)

  StringRef getArgument() const override { return "cufx-simple-powers"; }
  StringRef getDescription() const override { return "compute powers without library functions"; }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<IntegerPower, PowerOfMinusOne, PowerOfTwo, PowerByRoots, SquareOfSize>(&getContext());
    // After the others, which know more of the base.
    patterns.add<KnownPower<math::FPowIOp, arith::MulFOp>, KnownPower<math::IPowIOp, arith::MulIOp>>(&getContext(),
                                                                                                     /*benefit=*/0);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createSimplePowers() { return std::make_unique<SimplePowers>(); }
