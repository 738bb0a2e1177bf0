// Who reads a line decides how fast memory is: threads of a warp should read neighbours.
//
// - Elements of different lines are neighbours where the line is along any dimension but the first: a thread reads a
//   line (byElement).
// - Elements of a line are neighbours where it is along the first: a warp reads a line, and its lanes combine what they
//   have by shuffles. Short lines are left to threads.
// - With fewer lines than a GPU has threads or warps for, they read parts of lines, of which another kernel combines
// the
//   values then.

#include "mlir-dialects/Cufx/Transforms/LineKernels.h"
#include "flang/Optimizer/Builder/Complex.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <utility>

using namespace mlir;
using namespace cufort::cufx;

static constexpr int64_t lanesOfWarp = 32;
/// Elements of a line from which on a warp reads it.
static constexpr int64_t longLine = 64;
/// Lines along other dimensions than the first from which on threads read them: neighbours of a warp are few else.
static constexpr int64_t linesForThreads = 16;
/// What a GPU has enough to do with, and elements of a line that are worth a warp or a thread.
static constexpr int64_t manyWarps = 4096, elementsOfWarp = 256, manyThreads = 131072, elementsOfThread = 32;
/// Parts of a line, of which a warp combines the values.
static constexpr int64_t mostParts = 4096;

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

void DeviceExpression::beginKernel(Share share) {
  scalars = {};
  this->share = share;
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
  // What the loop reads of scalars is for the loop, and threads that share a line have elements of their own in it.
  DeviceScalars scalarsOutside = scalars;
  Share ofLine = std::exchange(share, Share());
  auto loop =
      fir::DoLoopOp::create(builder, loc, ofLine.first ? ofLine.first : one, length, ofLine.step ? ofLine.step : one,
                            /*unordered=*/false, /*finalCount=*/false, createNeutral(builder, loc, kind, type));
  builder.setInsertionPointToStart(loop.getBody());
  Value combined = createCombine(builder, loc, kind, loop.getRegionIterArgs().front(), element(loop.getInductionVar()));
  fir::ResultOp::create(builder, loc, combined);
  builder.setInsertionPointAfter(loop);
  scalars = scalarsOutside;
  share = ofLine;
  return share.isOfLane ? combineLanes(builder, loc, kind, loop.getResult(0)) : loop.getResult(0);
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
    length = expression.lengthOf(expression.lineReductions().front());
    lines = number(1);
    for (Value extent : expression.extents())
      lines = arith::MulIOp::create(builder, loc, lines, extent);
    auto byThreads = [&] {
      expression.beginKernel({});
      byElement();
    };
    bool isContiguous = llvm::any_of(expression.lineReductions(),
                                     [](Value reduction) { return LineReduction::match(reduction)->dimension == 0; });
    if (isContiguous)
      return byWarpsIfLong(byThreads);
    builder.genIfThenElse(loc, isLess(lines, number(linesForThreads)))
        .genThen([&] { byWarpsIfLong(byThreads); })
        .genElse([&] { inParts(partsOf(manyThreads, elementsOfThread), /*isForWarps=*/false, byThreads); })
        .end();
  }

private:
  Value number(int64_t constant) { return builder.createIntegerConstant(loc, builder.getIndexType(), constant); }

  Value isLess(Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left, right);
  }

  void byWarpsIfLong(llvm::function_ref<void()> byThreads) {
    builder.genIfThenElse(loc, isLess(length, number(longLine)))
        .genThen(byThreads)
        .genElse([&] { inParts(partsOf(manyWarps, elementsOfWarp), /*isForWarps=*/true, [&] { byWarps(); }); })
        .end();
  }

  /// In how many parts a line is read so that `many` readers, with `elements` each at least, have something to do.
  Value partsOf(int64_t many, int64_t elements) {
    Value some = arith::MaxSIOp::create(builder, loc, lines, number(1));
    Value forReaders = arith::DivSIOp::create(builder, loc, number(many), some);
    Value forLength = arith::DivSIOp::create(builder, loc, length, number(elements));
    Value parts = arith::MinSIOp::create(builder, loc, forReaders, forLength);
    return arith::MinSIOp::create(builder, loc, parts, number(mostParts));
  }

  /// By a kernel that makes a value of each of `parts` parts of each line and one that combines them, or by `whole` if
  /// there would be one part.
  void inParts(Value parts, bool isForWarps, llvm::function_ref<void()> whole) {
    builder.genIfThenElse(loc, isLess(parts, number(2)))
        .genThen(whole)
        .genElse([&] { byParts(parts, isForWarps); })
        .end();
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
    builder.genIfThen(loc, isLess(subscripts.front(), number(2))).genThen([&] { store(value, place); }).end();
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
  }

  void byWarps() {
    ArraysInKernel &arrays = *expression.arraysInKernel();
    createKernel(
        expression.extents(),
        [&](Value lane, ValueRange subscripts) {
          expression.beginKernel({lane, number(lanesOfWarp), /*isOfLane=*/true});
          return builder.convertWithSemantics(loc, array.getFortranElementType(), expression.element(subscripts));
        },
        [&](Value value, ValueRange subscripts) {
          fir::StoreOp::create(builder, loc, value, arrays.place(builder, loc, array, subscripts));
        });
  }

  void byParts(Value parts, bool isForWarps) {
    SmallVector<hlfir::DeclareOp> temporaries;
    for (Value reduction : expression.lineReductions())
      temporaries.push_back(reduceParts(reduction, parts, isForWarps));
    for (auto [reduction, temporary] : llvm::zip(expression.lineReductions(), temporaries))
      expression.usePartials(reduction, temporary.getBase(), parts);
    byWarps();
    expression.dropPartials();
    for (hlfir::DeclareOp temporary : temporaries)
      freeDeviceTemporary(builder, temporary);
  }

  /// Values of `parts` parts of each line of `reduction`, along the first dimension.
  hlfir::DeclareOp reduceParts(Value reduction, Value parts, bool isForWarps) {
    SmallVector<Value> extents{parts};
    llvm::append_range(extents, expression.extentsOf(reduction));
    Type type = hlfir::getFortranElementType(reduction.getType());
    hlfir::DeclareOp temporary = createDeviceTemporary(builder, loc, type, extents);
    if (isForWarps)
      reducePartsByWarps(reduction, extents, hlfir::Entity{temporary.getBase()});
    else
      reducePartsByThreads(reduction, extents, hlfir::Entity{temporary.getBase()});
    return temporary;
  }

  void storePart(hlfir::Entity values, Value value, ValueRange subscripts) {
    SmallVector<Value> lowerBounds(subscripts.size(), number(1));
    fir::StoreOp::create(builder, loc, value, placeInArray(builder, loc, values, lowerBounds, subscripts));
  }

  void reducePartsByWarps(Value reduction, ValueRange extents, hlfir::Entity values) {
    createKernel(
        extents,
        [&](Value lane, ValueRange subscripts) {
          Value before = arith::SubIOp::create(builder, loc, subscripts.front(), number(1));
          before = arith::MulIOp::create(builder, loc, before, number(lanesOfWarp));
          Value step = arith::MulIOp::create(builder, loc, extents.front(), number(lanesOfWarp));
          expression.beginKernel({arith::AddIOp::create(builder, loc, before, lane), step, /*isOfLane=*/true});
          return expression.element(reduction, subscripts.drop_front());
        },
        [&](Value value, ValueRange subscripts) { storePart(values, value, subscripts); });
  }

  /// The parts have the last axis: neighbouring threads are for neighbouring lines.
  void reducePartsByThreads(Value reduction, ValueRange extents, hlfir::Entity values) {
    SmallVector<Value> all(extents.drop_front()), subscripts;
    all.push_back(extents.front());
    cuf::KernelOp kernel = createKernelOver(builder, loc, all, subscripts);
    Value part = subscripts.pop_back_val();
    expression.beginKernel({part, extents.front(), /*isOfLane=*/false});
    Value value = expression.element(reduction, subscripts);
    subscripts.insert(subscripts.begin(), part);
    storePart(values, value, subscripts);
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
  }

  fir::FirOpBuilder &builder;
  Location loc;
  DeviceExpression &expression;
  hlfir::Entity array;
  Value lines, length; ///< how many, and of how many elements
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
