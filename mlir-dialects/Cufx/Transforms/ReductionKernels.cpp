// In: hlfir.sum and others of a device array or an expression of device arrays. Out:
//
//   fir.store %neutral to %result
//   cuf.kernel<<<*, *>>> reduce(%result : add) (%i : index) = ... {
//     %element = hlfir.designate %array (%i), or the operations of the expression
//     ... fir.store %combined to %result
//   }
//   %sum = fir.load %result

#include "mlir-dialects/Cufx/Transforms/ReductionKernels.h"
#include "flang/Optimizer/Builder/Complex.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

//===-- Recognition ----------------------------------------------------------------------------------------------===//

static constexpr Combination sum = {fir::ReduceOperationEnum::Add, ReductionKind::Add};
static constexpr Combination product = {fir::ReduceOperationEnum::Multiply, ReductionKind::Mul};
static constexpr Combination maximum = {fir::ReduceOperationEnum::MAX, ReductionKind::Max};
static constexpr Combination minimum = {fir::ReduceOperationEnum::MIN, ReductionKind::Min};
static constexpr Combination conjunction = {fir::ReduceOperationEnum::AND, ReductionKind::LAnd};
static constexpr Combination disjunction = {fir::ReduceOperationEnum::OR, ReductionKind::LOr};

template <typename Op>
static Reduction ofNumbers(Op op, const Combination &combination) {
  Type type = op.getType();
  bool isSupported = type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  if (!isSupported)
    return {};
  return {&combination, op.getArray(), op.getMask(), {}};
}

template <typename Op>
static Reduction ofMask(Op op, const Combination &combination) {
  return isa<hlfir::ExprType>(op.getType()) ? Reduction{} : Reduction{&combination, op.getMask(), {}, {}};
}

Reduction cufort::cufx::matchReduction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Reduction>(op)
      .Case([](hlfir::SumOp op) { return ofNumbers(op, sum); })
      .Case([](hlfir::ProductOp op) { return ofNumbers(op, product); })
      .Case([](hlfir::MaxvalOp op) { return ofNumbers(op, maximum); })
      .Case([](hlfir::MinvalOp op) { return ofNumbers(op, minimum); })
      .Case([](hlfir::CountOp op) { return ofMask(op, sum); })
      .Case([](hlfir::AllOp op) { return ofMask(op, conjunction); })
      .Case([](hlfir::AnyOp op) { return ofMask(op, disjunction); })
      .Case([](hlfir::DotProductOp op) {
        bool isLogical = isa<fir::LogicalType>(op.getType());
        return Reduction{isLogical ? &disjunction : &sum, op.getLhs(), {}, op.getRhs()};
      })
      .Default([](Operation *) { return Reduction{}; });
}

SmallVector<Value> Reduction::operands() const {
  SmallVector<Value> result;
  for (Value operand : {array, mask, factor})
    if (operand)
      result.push_back(operand);
  return result;
}

/// An array of the device that the reduction reads, or null.
static Value hiddenArrayOf(const Reduction &reduction) {
  for (Value operand : reduction.operands())
    if (Value array = hiddenArrayIn(operand))
      return array;
  return {};
}

Value cufort::cufx::streamArrayOf(const Reduction &reduction) {
  if (Value array = hiddenArrayOf(reduction))
    return array;
  for (Value operand : reduction.operands())
    if (Value array = findArray(operand, isSharedWithHost))
      return array;
  return {};
}

bool cufort::cufx::isDeviceReduction(const Reduction &reduction) {
  return reduction.combination && llvm::all_of(reduction.operands(), DeviceExpression::isOne);
}

bool cufort::cufx::canReduceByKernel(const Reduction &reduction) {
  return isDeviceReduction(reduction) && hiddenArrayOf(reduction);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static Value conjugate(fir::FirOpBuilder &builder, Location loc, Value number) {
  if (!isa<ComplexType>(number.getType()))
    return number;
  fir::factory::Complex parts(builder, loc);
  Value imaginary = arith::NegFOp::create(builder, loc, parts.extractComplexPart(number, /*isImagPart=*/true));
  return parts.insertComplexPart(number, imaginary, /*isImagPart=*/true);
}

static Value multiply(fir::FirOpBuilder &builder, Location loc, Value left, Value right, Type type) {
  bool isLogical = isa<fir::LogicalType>(type);
  left = builder.convertWithSemantics(loc, type, left);
  right = builder.convertWithSemantics(loc, type, right);
  return createCombine(builder, loc, isLogical ? ReductionKind::LAnd : ReductionKind::Mul, left, right);
}

ReductionKernel::ReductionKernel(fir::FirOpBuilder &builder, Operation *op, const Reduction &reduction,
                                 std::shared_ptr<ArraysInKernel> arrays)
    : builder(builder), loc(op->getLoc()), type(op->getResult(0).getType()), kind(reduction.combination->kind),
      clause(reduction.combination->clause), source(streamArrayOf(reduction)),
      array(builder, loc, reduction.array, std::move(arrays)) {
  if (reduction.mask)
    mask.emplace(builder, loc, reduction.mask, array.arraysInKernel());
  if (reduction.factor)
    factor.emplace(builder, loc, reduction.factor, array.arraysInKernel());
}

/// A variable of the host for the result, with what the elements are combined with.
Value ReductionKernel::createResult() {
  Value storage = builder.createTemporary(loc, type, ".reduction");
  Value result = hlfir::DeclareOp::create(builder, loc, storage, ".reduction").getBase();
  fir::StoreOp::create(builder, loc, valueAtStart(), result);
  return result;
}

/// The value that a kernel has left in `result`.
Value ReductionKernel::valueOf(Value result) {
  Value value = fir::LoadOp::create(builder, loc, result);
  return mask ? orValueForNone(value) : value;
}

Value ReductionKernel::build() {
  Value result = createResult();
  StatementStream stream(builder, loc, source);
  reduceInto(result, neutral());
  Value value = valueOf(result);
  stream.end(builder);
  return value;
}

Value ReductionKernel::buildForMany(int64_t many, llvm::function_ref<Value(fir::FirOpBuilder &)> onHost) {
  Value least = builder.createIntegerConstant(loc, builder.getIndexType(), many);
  Value areMany = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, elements(), least);
  return builder.genIfOp(loc, {type}, areMany, /*withElseRegion=*/true)
      .genThen([&] { fir::ResultOp::create(builder, loc, build()); })
      .genElse([&] { fir::ResultOp::create(builder, loc, onHost(builder)); })
      .getResults()[0];
}

Value ReductionKernel::buildInto(Value scalar) {
  Value start = valueAtStart();
  StatementStream stream(builder, loc, scalar, source);
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  SmallVector<Value> subscripts;
  cuf::KernelOp kernel = createKernelOver(builder, loc, one, subscripts);
  fir::StoreOp::create(builder, loc, start, scalar);
  fir::FirEndOp::create(builder, loc);
  builder.setInsertionPointAfter(kernel);
  // The host does not know whether the mask is true somewhere: infinities that it selects alone are not found.
  Value none = createValueForEmptyArray(builder, loc, kind, type);
  reduceInto(scalar, none ? none : neutral());
  stream.end(builder);
  return fir::LoadOp::create(builder, loc, scalar);
}

/// Whether there can be one kernel for all: the arrays have the same shape, and no variable has a stream.
Value ReductionKernel::canBeTogether(ArrayRef<std::unique_ptr<ReductionKernel>> kernels) {
  ReductionKernel &first = *kernels.front();
  fir::FirOpBuilder &builder = first.builder;
  Value can;
  for (const auto &kernel : llvm::drop_begin(kernels))
    for (auto [extent, other] : llvm::zip(first.array.extents(), kernel->array.extents())) {
      Value isSame = arith::CmpIOp::create(builder, first.loc, arith::CmpIPredicate::eq, extent, other);
      can = can ? arith::AndIOp::create(builder, first.loc, can, isSame).getResult() : isSame;
    }
  Value haveStreams = VariablesHaveStreamsOp::create(builder, first.loc, builder.getI1Type());
  Value yes = builder.createBool(first.loc, true);
  Value haveNone = arith::XOrIOp::create(builder, first.loc, haveStreams, yes);
  return arith::AndIOp::create(builder, first.loc, can, haveNone);
}

SmallVector<Value> ReductionKernel::buildTogether(MutableArrayRef<std::unique_ptr<ReductionKernel>> kernels) {
  ReductionKernel &first = *kernels.front();
  fir::FirOpBuilder &builder = first.builder;
  SmallVector<Value> results, values;
  SmallVector<Attribute> clauses;
  for (auto &kernel : kernels) {
    results.push_back(kernel->createResult());
    clauses.push_back(fir::ReduceAttr::get(builder.getContext(), kernel->clause));
  }
  auto together = [&] {
    SmallVector<Value> subscripts;
    cuf::KernelOp op = createKernelOver(builder, first.loc, first.array.extents(), subscripts, results, clauses);
    for (auto [kernel, result] : llvm::zip(kernels, results))
      kernel->combineElement(result, kernel->kind, kernel->contribution(subscripts, kernel->neutral()));
    fir::FirEndOp::create(builder, first.loc);
    builder.setInsertionPointAfter(op);
  };
  auto alone = [&] {
    for (auto [kernel, result] : llvm::zip(kernels, results)) {
      StatementStream stream(builder, kernel->loc, kernel->source);
      kernel->reduceInto(result, kernel->neutral());
      stream.end(builder);
    }
  };
  builder.genIfThenElse(first.loc, canBeTogether(kernels)).genThen(together).genElse(alone).end();
  for (auto [kernel, result] : llvm::zip(kernels, results)) {
    // It may take a kernel to find out what the value is.
    StatementStream stream(builder, kernel->loc, kernel->source);
    values.push_back(kernel->valueOf(result));
    stream.end(builder);
  }
  return values;
}

Value ReductionKernel::neutral() { return createNeutral(builder, loc, kind, type); }

/// What the elements are combined with, and what is left if there are none.
Value ReductionKernel::valueAtStart() {
  Value empty = createValueForEmptyArray(builder, loc, kind, type);
  return empty ? arith::SelectOp::create(builder, loc, isEmpty(), empty, neutral()).getResult() : neutral();
}

/// Combines `result` with the elements; where a mask is false, with `unselected`.
void ReductionKernel::reduceInto(Value result, Value unselected) {
  combineInto(result, {clause, kind}, [&](ValueRange subscripts) { return contribution(subscripts, unselected); });
}

/// Combines `result` with what `contribute` makes of the elements with the given subscripts.
void ReductionKernel::combineInto(Value result, const Combination &combination,
                                  llvm::function_ref<Value(ValueRange)> contribute) {
  SmallVector<Value> subscripts;
  Attribute clause = fir::ReduceAttr::get(builder.getContext(), combination.clause);
  cuf::KernelOp kernel = createKernelOver(builder, loc, array.extents(), subscripts, result, clause);
  combineElement(result, combination.kind, contribute(subscripts));
  fir::FirEndOp::create(builder, loc);
  builder.setInsertionPointAfter(kernel);
}

/// Combines `result`, in the body of a kernel, with what the elements of one iteration contribute.
void ReductionKernel::combineElement(Value result, ReductionKind combining, Value contributed) {
  Value before = fir::LoadOp::create(builder, loc, result);
  fir::StoreOp::create(builder, loc, createCombine(builder, loc, combining, before, contributed), result);
}

/// What the elements with these subscripts add.
Value ReductionKernel::contribution(ValueRange subscripts, Value unselected) {
  Value element = array.element(subscripts);
  if (factor)
    return multiply(builder, loc, conjugate(builder, loc, element), factor->element(subscripts), type);
  if (isa<fir::LogicalType>(element.getType()) && isa<IntegerType>(type)) {
    Value truth = builder.createConvert(loc, builder.getI1Type(), element);
    return arith::ExtUIOp::create(builder, loc, type, truth);
  }
  element = builder.createConvert(loc, type, element);
  if (!mask)
    return element;
  Value isSelected = builder.createConvert(loc, builder.getI1Type(), mask->element(subscripts));
  return arith::SelectOp::create(builder, loc, isSelected, element, unselected);
}

/// `value`, which a mask has selected elements for; or what is left if it has selected none, which another kernel
/// finds out where the two may be mistaken for each other.
Value ReductionKernel::orValueForNone(Value value) {
  Value none = createValueForEmptyArray(builder, loc, kind, type);
  if (!none)
    return value;
  Value isUnchanged = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value, neutral());
  return builder.genIfOp(loc, {type}, isUnchanged, /*withElseRegion=*/true)
      .genThen([&] {
        Value chosen = arith::SelectOp::create(builder, loc, selectsAny(), value, none);
        fir::ResultOp::create(builder, loc, chosen);
      })
      .genElse([&] { fir::ResultOp::create(builder, loc, value); })
      .getResults()[0];
}

/// Whether the mask is true somewhere.
Value ReductionKernel::selectsAny() {
  Type logical = fir::LogicalType::get(builder.getContext(), 4);
  Value storage = builder.createTemporary(loc, logical, ".selected");
  Value result = hlfir::DeclareOp::create(builder, loc, storage, ".selected").getBase();
  fir::StoreOp::create(builder, loc, createNeutral(builder, loc, disjunction.kind, logical), result);
  combineInto(result, disjunction,
              [&](ValueRange subscripts) { return builder.createConvert(loc, logical, mask->element(subscripts)); });
  return builder.createConvert(loc, builder.getI1Type(), fir::LoadOp::create(builder, loc, result));
}

Value ReductionKernel::elements() {
  Value elements = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  for (Value extent : array.extents())
    elements = arith::MulIOp::create(builder, loc, elements, extent);
  return elements;
}

Value ReductionKernel::isEmpty() {
  Value zero = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, elements(), zero);
}
