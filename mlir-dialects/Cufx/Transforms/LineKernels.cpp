// Who reads a line decides how fast memory is: threads of a warp should read neighbours.
//
// - Elements of different lines are neighbours where the line is along any dimension but the first: a thread reads a
//   line (byElement).
// - Elements of a line are neighbours where it is along the first: a warp reads a line, and its lanes combine what they
//   have by shuffles. Short lines are left to threads.
// - With few lines there would be few threads or warps: a warp reads a line, or a part of one, of which another kernel
//   combines the values then.

#include "mlir-dialects/Cufx/Transforms/LineKernels.h"
#include "flang/Optimizer/Builder/Complex.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

static constexpr int64_t lanesOfWarp = 32;
/// Elements of a line from which on a warp reads it.
static constexpr int64_t longLine = 64;
/// Lines from which on threads that read one each are enough.
static constexpr int64_t manyLines = 16384;
/// Warps that a GPU has enough to do with, and elements of a line that are worth one.
static constexpr int64_t manyWarps = 4096, elementsOfPart = 256;

//===-- Lanes ----------------------------------------------------------------------------------------------------===//

/// True if the lanes of a warp can exchange values of `type`.
static bool isExchangeable(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isExchangeable(complex.getElementType());
  return type.isF32() || type.isF64() || isa<fir::LogicalType>(type) || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

/// The `value` of the lane whose number differs in the bits `distance`.
static Value valueOfOther(fir::FirOpBuilder &builder, Location loc, Value value, int64_t distance) {
  Type type = value.getType(), i32 = builder.getI32Type();
  if (isa<ComplexType>(type)) {
    fir::factory::Complex parts(builder, loc);
    Value real = valueOfOther(builder, loc, parts.extractComplexPart(value, /*isImagPart=*/false), distance);
    Value imaginary = valueOfOther(builder, loc, parts.extractComplexPart(value, /*isImagPart=*/true), distance);
    return parts.createComplex(type, real, imaginary);
  }
  if (isa<fir::LogicalType>(type)) {
    Value truth = arith::ExtUIOp::create(builder, loc, i32, builder.createConvert(loc, builder.getI1Type(), value));
    truth = valueOfOther(builder, loc, truth, distance);
    return builder.createConvert(loc, type, arith::TruncIOp::create(builder, loc, builder.getI1Type(), truth));
  }
  if (type.isInteger(8) || type.isInteger(16)) {
    Value wide = valueOfOther(builder, loc, arith::ExtSIOp::create(builder, loc, i32, value), distance);
    return arith::TruncIOp::create(builder, loc, type, wide);
  }
  auto number = [&](int64_t constant) { return builder.createIntegerConstant(loc, i32, constant); };
  return ShuffleOp::create(builder, loc, type, ShuffleKind::Xor, number(-1), value, number(distance),
                           number(lanesOfWarp - 1));
}

/// `value` combined with those of all other lanes.
static Value combineLanes(fir::FirOpBuilder &builder, Location loc, ReductionKind kind, Value value) {
  for (int64_t distance = lanesOfWarp / 2; distance > 0; distance /= 2)
    value = createCombine(builder, loc, kind, value, valueOfOther(builder, loc, value, distance));
  return value;
}

//===-- Elements of lines ----------------------------------------------------------------------------------------===//

void DeviceExpression::beginKernel(Value first, Value step) {
  scalars = {};
  firstOfLine = first;
  stepInLine = step;
}

void DeviceExpression::usePartials(Value reduction, Value array, Value count) {
  arrays->prepare(builder, loc, array);
  partials[reduction] = {array, count};
}

/// What the element with these subscripts adds to the reduction.
Value DeviceExpression::contribution(const LineReduction &line, Type type, ValueRange subscripts) {
  Value value = element(line.array, subscripts);
  if (line.isCount) {
    Value truth = builder.createConvert(loc, builder.getI1Type(), value);
    return arith::ExtUIOp::create(builder, loc, type, truth);
  }
  value = builder.createConvert(loc, type, value);
  if (!line.mask)
    return value;
  Value counts = builder.createConvert(loc, builder.getI1Type(), element(line.mask, subscripts));
  return arith::SelectOp::create(builder, loc, counts, value, createNeutral(builder, loc, line.kind, type));
}

Value DeviceExpression::elementOfPartials(const Partials &partials, Value number, ValueRange subscripts) {
  SmallVector<Value> inArray{number};
  llvm::append_range(inArray, subscripts);
  return fir::LoadOp::create(builder, loc, arrays->place(builder, loc, partials.array, inArray));
}

Value DeviceExpression::alongLine(ReductionKind kind, Type type, Value length,
                                  llvm::function_ref<Value(Value number)> element) {
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  // What the loop reads of scalars is for the loop.
  DeviceScalars scalarsOutside = scalars;
  auto loop =
      fir::DoLoopOp::create(builder, loc, firstOfLine ? firstOfLine : one, length, stepInLine ? stepInLine : one,
                            /*unordered=*/false, /*finalCount=*/false, createNeutral(builder, loc, kind, type));
  builder.setInsertionPointToStart(loop.getBody());
  Value combined = createCombine(builder, loc, kind, loop.getRegionIterArgs().front(), element(loop.getInductionVar()));
  fir::ResultOp::create(builder, loc, combined);
  builder.setInsertionPointAfter(loop);
  scalars = scalarsOutside;
  return firstOfLine ? combineLanes(builder, loc, kind, loop.getResult(0)) : loop.getResult(0);
}

static SmallVector<Value> inLine(const LineReduction &line, Value number, ValueRange subscripts) {
  SmallVector<Value> inArray(subscripts);
  inArray.insert(inArray.begin() + line.dimension, number);
  return inArray;
}

Value DeviceExpression::elementOfLine(Value reduction, const LineReduction &line, ValueRange subscripts) {
  Type type = hlfir::getFortranElementType(reduction.getType());
  auto parts = partials.find(reduction);
  Value length = lineLengths.at(reduction), result;
  if (parts != partials.end())
    result = alongLine(line.kind, type, parts->second.count,
                       [&](Value number) { return elementOfPartials(parts->second, number, subscripts); });
  else
    result = alongLine(line.kind, type, length,
                       [&](Value number) { return contribution(line, type, inLine(line, number, subscripts)); });
  Value empty = createValueForEmptyArray(builder, loc, line.kind, type);
  if (!empty)
    return result;
  // Infinity is what is left where nothing was selected, or nothing but infinity.
  Value neutral = createNeutral(builder, loc, line.kind, type);
  Value isUnchanged = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, result, neutral);
  auto choice = fir::IfOp::create(builder, loc, type, isUnchanged, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(&choice.getElseRegion().front());
  fir::ResultOp::create(builder, loc, result);
  builder.setInsertionPointToStart(&choice.getThenRegion().front());
  fir::ResultOp::create(
      builder, loc,
      arith::SelectOp::create(builder, loc, selectsAny(line, length, subscripts), result, empty).getResult());
  builder.setInsertionPointAfter(choice);
  return choice.getResult(0);
}

/// One bit: that the line with `subscripts` has elements that the mask selects.
Value DeviceExpression::selectsAny(const LineReduction &line, Value length, ValueRange subscripts) {
  Type i32 = builder.getI32Type();
  Value zero = builder.createIntegerConstant(loc, i32, 0);
  if (!line.mask) {
    Value none = builder.createIntegerConstant(loc, length.getType(), 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, length, none);
  }
  DeviceScalars scalarsOutside = scalars;
  Value found = alongLine(ReductionKind::Max, i32, length, [&](Value number) -> Value {
    Value truth = builder.createConvert(loc, builder.getI1Type(), element(line.mask, inLine(line, number, subscripts)));
    return arith::ExtUIOp::create(builder, loc, i32, truth);
  });
  scalars = scalarsOutside;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, found, zero);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

namespace {

class LineKernels {
public:
  LineKernels(fir::FirOpBuilder &builder, Location loc, DeviceExpression &expression, hlfir::Entity array)
      : builder(builder), loc(loc), expression(expression), array(array) {}

  void evaluate(llvm::function_ref<void()> byElement) {
    // For all branches.
    expression.arraysInKernel()->prepare(builder, loc, array);
    Value first = expression.lineReductions().front();
    Value length = expression.lengthOf(first), lines = number(1);
    for (Value extent : expression.extents())
      lines = arith::MulIOp::create(builder, loc, lines, extent);
    Value parts = partsOf(lines, length);
    builder.genIfThenElse(loc, isForWarps(lines, length))
        .genThen([&] {
          Value isWhole = compare(arith::CmpIPredicate::slt, parts, number(2));
          builder.genIfThenElse(loc, isWhole).genThen([&] { byWarps(); }).genElse([&] { byParts(parts); }).end();
        })
        .genElse([&] {
          expression.beginKernel();
          byElement();
        })
        .end();
  }

private:
  Value number(int64_t constant) { return builder.createIntegerConstant(loc, builder.getIndexType(), constant); }

  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }

  Value isForWarps(Value lines, Value length) {
    Value isLong = compare(arith::CmpIPredicate::sge, length, number(longLine));
    bool isContiguous = llvm::any_of(expression.lineReductions(),
                                     [](Value reduction) { return LineReduction::match(reduction)->dimension == 0; });
    if (isContiguous)
      return isLong;
    Value areFew = compare(arith::CmpIPredicate::slt, lines, number(manyLines));
    return arith::AndIOp::create(builder, loc, isLong, areFew);
  }

  /// How many warps a line is for.
  Value partsOf(Value lines, Value length) {
    Value some = arith::MaxSIOp::create(builder, loc, lines, number(1));
    Value forWarps = arith::DivSIOp::create(builder, loc, number(manyWarps), some);
    Value forLength = arith::DivSIOp::create(builder, loc, length, number(elementsOfPart));
    return arith::MinSIOp::create(builder, loc, forWarps, forLength);
  }

  /// A kernel with a warp for each element of an array with `extents`. `element` makes the value of an element with the
  /// subscripts that it gets, and `store` puts it somewhere.
  void createKernel(ValueRange extents, llvm::function_ref<Value(Value lane, ValueRange)> element,
                    llvm::function_ref<void(Value, ValueRange)> store) {
    SmallVector<Value> all{number(lanesOfWarp)}, subscripts;
    llvm::append_range(all, extents);
    cuf::KernelOp kernel = createKernelOver(builder, loc, all, subscripts);
    ValueRange place = ValueRange(subscripts).drop_front();
    Value value = element(subscripts.front(), place);
    builder.genIfThen(loc, compare(arith::CmpIPredicate::eq, subscripts.front(), number(1)))
        .genThen([&] { store(value, place); })
        .end();
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
  }

  void byWarps() {
    ArraysInKernel &arrays = *expression.arraysInKernel();
    createKernel(
        expression.extents(),
        [&](Value lane, ValueRange subscripts) {
          expression.beginKernel(lane, number(lanesOfWarp));
          return builder.convertWithSemantics(loc, array.getFortranElementType(), expression.element(subscripts));
        },
        [&](Value value, ValueRange subscripts) {
          fir::StoreOp::create(builder, loc, value, arrays.place(builder, loc, array, subscripts));
        });
  }

  void byParts(Value parts) {
    SmallVector<hlfir::DeclareOp> temporaries;
    for (Value reduction : expression.lineReductions())
      temporaries.push_back(reduceParts(reduction, parts));
    for (auto [reduction, temporary] : llvm::zip(expression.lineReductions(), temporaries))
      expression.usePartials(reduction, temporary.getBase(), parts);
    byWarps();
    expression.dropPartials();
    for (hlfir::DeclareOp temporary : temporaries)
      freeDeviceTemporary(builder, temporary);
  }

  /// Values of `parts` parts of each line of `reduction`.
  hlfir::DeclareOp reduceParts(Value reduction, Value parts) {
    SmallVector<Value> extents{parts};
    llvm::append_range(extents, expression.extentsOf(reduction));
    Type type = hlfir::getFortranElementType(reduction.getType());
    hlfir::DeclareOp temporary = createDeviceTemporary(builder, loc, type, extents);
    hlfir::Entity values{temporary.getBase()};
    SmallVector<Value> lowerBounds(extents.size(), number(1));
    createKernel(
        extents,
        [&](Value lane, ValueRange subscripts) {
          Value before = arith::SubIOp::create(builder, loc, subscripts.front(), number(1));
          before = arith::MulIOp::create(builder, loc, before, number(lanesOfWarp));
          Value step = arith::MulIOp::create(builder, loc, parts, number(lanesOfWarp));
          expression.beginKernel(arith::AddIOp::create(builder, loc, before, lane), step);
          return expression.element(reduction, subscripts.drop_front());
        },
        [&](Value value, ValueRange subscripts) {
          fir::StoreOp::create(builder, loc, value, placeInArray(builder, loc, values, lowerBounds, subscripts));
        });
    return temporary;
  }

  fir::FirOpBuilder &builder;
  Location loc;
  DeviceExpression &expression;
  hlfir::Entity array;
};

} // namespace

bool cufort::cufx::evaluateLines(fir::FirOpBuilder &builder, Location loc, DeviceExpression &expression,
                                 hlfir::Entity array, llvm::function_ref<void()> byElement) {
  ArrayRef<Value> reductions = expression.lineReductions();
  bool isForLanes = !reductions.empty() && llvm::all_of(reductions, [](Value reduction) {
    return isExchangeable(hlfir::getFortranElementType(reduction.getType()));
  });
  if (isForLanes)
    LineKernels(builder, loc, expression, array).evaluate(byElement);
  return isForLanes;
}
