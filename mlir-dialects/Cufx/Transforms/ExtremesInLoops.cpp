// In:  %m = hlfir.maxval %array mask %mask
//
// Out: %m, %any = loop over the elements, from NaN and false
//        if (element of %mask) maxnum(%m, element), true
//      %any ? %m : the lowest number
//
// Flang's form begins with the first element, so that an array expression would be needed twice, and be kept in memory.
// Here NaN stands for that nothing has been found: NaNs do not count where there are numbers. Integers begin with the
// lowest one. MAXLOC carries subscripts, which are 0 as long as nothing has been found. It begins with the least of all
// values, and looks again if no element is beyond that: then all are NaN, or that value.

#include "mlir-dialects/Cufx/Transforms/ExtremesInLoops.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/ElementLoops.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool hasOrder(Type type) {
  return type.isSignlessInteger() || (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

class Extreme {
public:
  Extreme(Location loc, fir::FirOpBuilder &builder, ElementLoops &loops, bool isMax)
      : loc(loc), builder(builder), loops(loops), isMax(isMax), type(loops.elementType()) {}

  Value value() {
    Value none = ofNothing(), no = builder.createBool(loc, false), yes = builder.createBool(loc, true);
    if (!isReal())
      return loops.reduce(none, [&](Value element, ValueRange, ValueRange before) {
        return SmallVector<Value>{extreme(before[0], element)};
      })[0];
    SmallVector<Value> start{notFound()};
    if (loops.isMasked())
      start.push_back(no);
    SmallVector<Value> found = loops.reduce(start, [&](Value element, ValueRange, ValueRange before) {
      SmallVector<Value> after{extreme(before[0], element)};
      if (loops.isMasked())
        after.push_back(yes);
      return after;
    });
    Value isFound = loops.isMasked() ? found[1] : loops.hasElements();
    return arith::SelectOp::create(builder, loc, isFound, found[0], none);
  }

  /// The subscripts, of type `subscript`, of the extreme that comes first, or if `isBack` last.
  SmallVector<Value> location(Type subscript, Value isBack) {
    Value zero = builder.createIntegerConstant(loc, subscript, 0);
    auto isConstantBack = fir::getIntIfConstant(isBack);
    bool isSimple = isConstantBack && *isConstantBack == 0 && loops.isRepeatable();
    SmallVector<Value> start(loops.rank(), zero);
    start.push_back(isSimple ? leastOfAll() : notFound());
    auto step = [&](Value element, ValueRange subscripts, ValueRange before) {
      Value best = before.back();
      Value isNew = isSimple ? isBeyond(element, best) : takesPlace(element, best, isBack, isEqual(before[0], zero));
      SmallVector<Value> after;
      for (auto [number, old] : llvm::zip(subscripts, before))
        after.push_back(
            arith::SelectOp::create(builder, loc, isNew, builder.createConvert(loc, subscript, number), old));
      after.push_back(arith::SelectOp::create(builder, loc, isNew, element, best));
      return after;
    };
    SmallVector<Value> found = loops.reduce(start, step);
    found.pop_back();
    if (!isSimple)
      return found;
    return orElse(found, zero, [&] { return firstOfLeast(subscript, zero, isBack); });
  }

private:
  bool isReal() const { return isa<FloatType>(type); }

  Value integer(bool isHighest) {
    unsigned bits = type.getIntOrFloatBitWidth();
    APInt value = isHighest ? APInt::getSignedMaxValue(bits) : APInt::getSignedMinValue(bits);
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }

  Value real(const APFloat &value) { return builder.createRealConstant(loc, type, value); }

  /// The value of the function if there is no element.
  Value ofNothing() {
    if (!isReal())
      return integer(/*isHighest=*/!isMax);
    return real(APFloat::getLargest(cast<FloatType>(type).getFloatSemantics(), /*Negative=*/isMax));
  }

  /// What loops begin with.
  Value notFound() { return isReal() ? real(APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())) : ofNothing(); }

  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }

  Value isEqual(Value a, Value b) {
    if (isa<FloatType>(a.getType()))
      return compare(arith::CmpFPredicate::OEQ, a, b);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }

  /// True if `element` is a number and `best` is none, or a lesser one.
  Value isBetter(Value element, Value best) {
    if (isReal())
      return both(compare(isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, element, best),
                  compare(arith::CmpFPredicate::ORD, element, element));
    return arith::CmpIOp::create(builder, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, element,
                                 best);
  }

  /// Of equal elements, NaNs among themselves too, the first one counts, or if `isBack` the last one.
  Value takesPlace(Value element, Value best, Value isBack, Value isFirst) {
    Value equals = isEqual(element, best);
    if (isReal())
      equals = either(equals, both(compare(arith::CmpFPredicate::UNO, best, best),
                                   compare(arith::CmpFPredicate::UNO, element, element)));
    return either(isBetter(element, best), both(equals, either(isBack, isFirst)));
  }

  Value extreme(Value a, Value b) {
    if (!isReal())
      return isMax ? arith::MaxSIOp::create(builder, loc, a, b).getResult()
                   : arith::MinSIOp::create(builder, loc, a, b).getResult();
    if (type.isF16())
      return arith::SelectOp::create(builder, loc, isBetter(b, a), b, a);
    return isMax ? arith::MaxNumFOp::create(builder, loc, a, b).getResult()
                 : arith::MinNumFOp::create(builder, loc, a, b).getResult();
  }

  /// The value that no element is beyond of.
  Value leastOfAll() {
    return isReal() ? real(APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), /*Negative=*/isMax))
                    : ofNothing();
  }

  /// True if `element` is greater, or less, than `best`.
  Value isBeyond(Value element, Value best) {
    return isReal() ? compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, element, best)
                    : isBetter(element, best);
  }

  /// The subscripts that have been `found`, or others if these are zeros.
  SmallVector<Value> orElse(ArrayRef<Value> found, Value zero, llvm::function_ref<SmallVector<Value>()> others) {
    SmallVector<Type> types(found.size(), zero.getType());
    auto choice = fir::IfOp::create(builder, loc, types, isEqual(found[0], zero), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&choice.getThenRegion().front());
    fir::ResultOp::create(builder, loc, others());
    builder.setInsertionPointToStart(&choice.getElseRegion().front());
    fir::ResultOp::create(builder, loc, found);
    return choice.getResults();
  }

  /// The place of the first element, where none is beyond the least of all values: a number if there is one.
  SmallVector<Value> firstOfLeast(Type subscript, Value zero, Value isBack) {
    auto isThere = [&](Value) { return builder.createBool(loc, true); };
    auto isNumber = [&](Value element) { return compare(arith::CmpFPredicate::ORD, element, element); };
    if (!isReal())
      return loops.search(subscript, isBack, isThere);
    SmallVector<Value> found = loops.search(subscript, isBack, isNumber);
    return orElse(found, zero, [&] { return loops.search(subscript, isBack, isThere); });
  }

  Location loc;
  fir::FirOpBuilder &builder;
  ElementLoops &loops;
  bool isMax;
  Type type;
};

/// Of the operands of `op`, those that were gone through and nothing else needs go with it.
template <typename Op>
void replace(Op op, Value result) {
  Value array = op.getArray(), mask = op.getMask();
  op.replaceAllUsesWith(result);
  op.erase();
  eraseUnusedExpression(array);
  if (mask && mask != array)
    eraseUnusedExpression(mask);
}

template <typename Op>
std::optional<ElementLoops> loopsOf(Op op, fir::FirOpBuilder &builder) {
  if (!hasOrder(hlfir::getFortranElementType(op.getArray().getType())))
    return std::nullopt;
  return ElementLoops::create(op.getLoc(), builder, op.getArray(), op.getMask(), op.getDim());
}

template <typename Op>
void computeValue(Op op, bool isMax) {
  fir::FirOpBuilder builder(op.getOperation(), fir::getKindMapping(op->template getParentOfType<ModuleOp>()));
  auto loops = loopsOf(op, builder);
  if (!loops)
    return;
  Extreme extreme(op.getLoc(), builder, *loops, isMax);
  replace(op, loops->result(op.getType(), [&] { return extreme.value(); }));
}

template <typename Op>
void computeLocation(Op op, bool isMax) {
  Location loc = op.getLoc();
  fir::FirOpBuilder builder(op.getOperation(), fir::getKindMapping(op->template getParentOfType<ModuleOp>()));
  auto loops = loopsOf(op, builder);
  if (!loops)
    return;
  Type subscript = hlfir::getFortranElementType(op.getType());
  Value isBack =
      op.getBack() ? builder.createConvert(loc, builder.getI1Type(), op.getBack()) : builder.createBool(loc, false);
  Extreme extreme(loc, builder, *loops, isMax);
  if (op.getDim())
    return replace(op, loops->result(op.getType(), [&] { return extreme.location(subscript, isBack)[0]; }));
  replace(op, createVector(loc, builder, op.getType(), extreme.location(subscript, isBack)));
}

} // namespace

void cufort::cufx::computeExtremeInLoop(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([](hlfir::MaxvalOp op) { computeValue(op, /*isMax=*/true); })
      .Case([](hlfir::MinvalOp op) { computeValue(op, /*isMax=*/false); })
      .Case([](hlfir::MaxlocOp op) { computeLocation(op, /*isMax=*/true); })
      .Case([](hlfir::MinlocOp op) { computeLocation(op, /*isMax=*/false); });
}
