// The quotient is the product with the conjugate, divided by the square of the divisor's size. The divisor is scaled
// before by the power of two that brings its larger part to [1, 2): exactly, and with a few integer operations instead
// of the branch of Smith's algorithm, which the threads of a warp would take differently. What is divided by then is
// far from the ends of its type's range, and both parts are multiplied by its reciprocal (ScaledReciprocal.cpp).
//
// A real factor or divisor has become a complex number with nothing imaginary: it scales both parts.

#include "codegen/Conversion/DeviceFIRToLLVM/ComplexDivision.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// The exponents of a real type, as they are in the upper 32 bits of its values.
struct ExponentField {
  uint32_t mask;     ///< all of its bits
  uint32_t one;      ///< the exponent of 1
  uint32_t greatest; ///< the greatest whose reciprocal has an exponent of its own
};

ExponentField exponentField(Type type) {
  return type.isF32() ? ExponentField{0x7f800000, 0x3f800000, 0x7e800000}
                      : ExponentField{0x7ff00000, 0x3ff00000, 0x7fd00000};
}

class Division {
public:
  Division(PatternRewriter &rewriter, complex::DivOp op)
      : builder(rewriter), op(op), loc(op.getLoc()), fastMath(op.getFastmathAttr()),
        type(cast<ComplexType>(op.getType()).getElementType()) {}

  Value quotient(Value dividend, Value divisor) {
    Value a = complex::ReOp::create(builder, loc, dividend), b = complex::ImOp::create(builder, loc, dividend);
    Value c = complex::ReOp::create(builder, loc, divisor), d = complex::ImOp::create(builder, loc, divisor);
    Value scale = reciprocalPower(c, d);
    c = multiply(c, scale);
    d = multiply(d, scale);
    Value square = add(multiply(c, c), multiply(d, d));
    Value reciprocal = cufort::codegen::createExternalCall(
        builder, op, type.isF32() ? "__cufx_scaled_reciprocal_r4" : "__cufx_scaled_reciprocal_r8", type, square);
    Value re = multiply(add(multiply(a, c), multiply(b, d)), reciprocal);
    Value im = multiply(subtract(multiply(b, c), multiply(a, d)), reciprocal);
    return complex::CreateOp::create(builder, loc, ComplexType::get(type), multiply(re, scale), multiply(im, scale));
  }

private:
  Value number(uint32_t value) { return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value); }

  Value upperWord(Value x) {
    if (type.isF32())
      return arith::BitcastOp::create(builder, loc, builder.getI32Type(), x);
    Value bits = arith::BitcastOp::create(builder, loc, builder.getI64Type(), x);
    Value upper = arith::ShRUIOp::create(builder, loc, bits, halfOfDouble());
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), upper);
  }

  Value fromUpperWord(Value word) {
    if (type.isF32())
      return arith::BitcastOp::create(builder, loc, type, word);
    Value bits = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), word);
    return arith::BitcastOp::create(builder, loc, type, arith::ShLIOp::create(builder, loc, bits, halfOfDouble()));
  }

  Value halfOfDouble() { return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 32); }

  /// One divided by the power of two in the larger of two numbers.
  Value reciprocalPower(Value x, Value y) {
    ExponentField field = exponentField(type);
    auto exponent = [&](Value value) -> Value {
      return arith::AndIOp::create(builder, loc, upperWord(value), number(field.mask));
    };
    Value larger = arith::MaxUIOp::create(builder, loc, exponent(x), exponent(y));
    larger = arith::MinUIOp::create(builder, loc, larger, number(field.greatest));
    return fromUpperWord(arith::SubIOp::create(builder, loc, number(2 * field.one), larger));
  }

  Value multiply(Value x, Value y) { return arith::MulFOp::create(builder, loc, x, y, fastMath); }
  Value add(Value x, Value y) { return arith::AddFOp::create(builder, loc, x, y, fastMath); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(builder, loc, x, y, fastMath); }

  PatternRewriter &builder;
  complex::DivOp op;
  Location loc;
  arith::FastMathFlagsAttr fastMath;
  Type type;
};

/// The real number that `value`, a complex one, has been made of, or null.
Value madeOfReal(Value value) {
  auto isZero = [](Value part) { return matchPattern(part, m_AnyZeroFloat()); };
  if (auto create = value.getDefiningOp<complex::CreateOp>())
    return isZero(create.getImaginary()) ? create.getReal() : Value();
  // As Flang writes it: the parts are put in one after the other.
  auto imaginary = value.getDefiningOp<fir::InsertValueOp>();
  auto real = imaginary ? imaginary.getAdt().getDefiningOp<fir::InsertValueOp>() : fir::InsertValueOp();
  auto isPart = [](fir::InsertValueOp op, int64_t index) {
    auto place = op.getCoor().size() == 1 ? dyn_cast<IntegerAttr>(op.getCoor()[0]) : IntegerAttr();
    return place && place.getInt() == index;
  };
  return real && isPart(imaginary, 1) && isPart(real, 0) && isZero(imaginary.getVal()) ? real.getVal() : Value();
}

/// Multiplies or divides both parts of `number` by `real`.
template <typename RealOp, typename Op>
void scaleParts(PatternRewriter &rewriter, Op op, Value number, Value real) {
  auto part = [&](Value value) { return RealOp::create(rewriter, op.getLoc(), value, real, op.getFastmathAttr()); };
  Value re = part(complex::ReOp::create(rewriter, op.getLoc(), number));
  Value im = part(complex::ImOp::create(rewriter, op.getLoc(), number));
  rewriter.replaceOpWithNewOp<complex::CreateOp>(op, op.getType(), re, im);
}

struct ScaleByReal : OpRewritePattern<fir::MulcOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fir::MulcOp op, PatternRewriter &rewriter) const override {
    Value left = madeOfReal(op.getLhs()), right = madeOfReal(op.getRhs());
    if (!left == !right)
      return failure();
    scaleParts<arith::MulFOp>(rewriter, op, left ? op.getRhs() : op.getLhs(), left ? left : right);
    return success();
  }
};

struct ExpandDivision : OpRewritePattern<complex::DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(complex::DivOp op, PatternRewriter &rewriter) const override {
    Type type = cast<ComplexType>(op.getType()).getElementType();
    if (!type.isF32() && !type.isF64())
      return failure();
    if (Value divisor = madeOfReal(op.getRhs())) {
      scaleParts<arith::DivFOp>(rewriter, op, op.getLhs(), divisor);
      return success();
    }
    rewriter.replaceOp(op, Division(rewriter, op).quotient(op.getLhs(), op.getRhs()));
    return success();
  }
};

} // namespace

void cufort::codegen::populateComplexDivisionPatterns(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandDivision, ScaleByReal>(patterns.getContext(), benefit);
}
