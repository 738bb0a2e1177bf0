// In: HLFIR in which hlfir.sum and others of the host name a device array, or a host copy of one that Flang's lowering
// makes for an assignment, or an expression of device arrays. Out: for those whose result is one number or truth value,
//
//   fir.store %neutral to %result
//   cuf.kernel<<<*, *>>> reduce(%result : add) (%i : index) = ... {
//     %element = hlfir.designate %array (%i), or the operations of the expression
//     ... fir.store %combined to %result
//   }
//   %sum = fir.load %result
//
// where %result is a variable of the host, or the device scalar that the value is assigned to;
//
// and for the other reductions a transfer of the array to a host temporary, which takes its place. Managed arrays are
// reduced by such a kernel if they are large, else by the host.

#include "mlir-dialects/Cufx/Transforms/ReduceDeviceArrays.h"
#include "flang/Optimizer/Builder/Complex.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRAttr.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/ManagedReads.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Reductions as kernels ------------------------------------------------------------------------------------===//

/// What a kernel does for an operation: the clause, and the arithmetic.
struct Combination {
  fir::ReduceOperationEnum clause;
  ReductionKind kind;
};

const Combination sum = {fir::ReduceOperationEnum::Add, ReductionKind::Add};
const Combination product = {fir::ReduceOperationEnum::Multiply, ReductionKind::Mul};
const Combination maximum = {fir::ReduceOperationEnum::MAX, ReductionKind::Max};
const Combination minimum = {fir::ReduceOperationEnum::MIN, ReductionKind::Min};
const Combination conjunction = {fir::ReduceOperationEnum::AND, ReductionKind::LAnd};
const Combination disjunction = {fir::ReduceOperationEnum::OR, ReductionKind::LOr};

/// A reduction to one number or truth value: of `array`, where `mask` is true if there is one, or of its product with
/// `factor`.
struct Reduction {
  const Combination *combination = nullptr;
  Value array, mask, factor;
};

template <typename Op>
Reduction ofNumbers(Op op, const Combination &combination) {
  Type type = op.getType();
  bool isSupported = type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  if (!isSupported)
    return {};
  return {&combination, op.getArray(), op.getMask(), {}};
}

template <typename Op>
Reduction ofMask(Op op, const Combination &combination) {
  return isa<hlfir::ExprType>(op.getType()) ? Reduction{} : Reduction{&combination, op.getMask(), {}, {}};
}

/// The reduction that `op` asks for; one without a combination if no kernel does it.
Reduction matchReduction(Operation *op) {
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

SmallVector<Value> operandsOf(const Reduction &reduction) {
  SmallVector<Value> operands;
  for (Value operand : {reduction.array, reduction.mask, reduction.factor})
    if (operand)
      operands.push_back(operand);
  return operands;
}

/// An array of the device that the reduction reads, or null.
Value hiddenArrayOf(const Reduction &reduction) {
  for (Value operand : operandsOf(reduction))
    if (Value array = hiddenArrayIn(operand))
      return array;
  return {};
}

/// An array that the reduction reads and that may be bound to a stream: of the device, or else managed.
Value streamArrayOf(const Reduction &reduction) {
  if (Value array = hiddenArrayOf(reduction))
    return array;
  for (Value operand : operandsOf(reduction))
    if (Value array = findArray(operand, isSharedWithHost))
      return array;
  return {};
}

/// True if device code can evaluate all that the reduction reads.
bool isDeviceReduction(const Reduction &reduction) {
  return reduction.combination && llvm::all_of(operandsOf(reduction), DeviceExpression::isOne);
}

bool canReduceByKernel(const Reduction &reduction) { return isDeviceReduction(reduction) && hiddenArrayOf(reduction); }

Value conjugate(fir::FirOpBuilder &builder, Location loc, Value number) {
  if (!isa<ComplexType>(number.getType()))
    return number;
  fir::factory::Complex parts(builder, loc);
  Value imaginary = arith::NegFOp::create(builder, loc, parts.extractComplexPart(number, /*isImagPart=*/true));
  return parts.insertComplexPart(number, imaginary, /*isImagPart=*/true);
}

Value multiply(fir::FirOpBuilder &builder, Location loc, Value left, Value right, Type type) {
  bool isLogical = isa<fir::LogicalType>(type);
  left = builder.convertWithSemantics(loc, type, left);
  right = builder.convertWithSemantics(loc, type, right);
  return createCombine(builder, loc, isLogical ? ReductionKind::LAnd : ReductionKind::Mul, left, right);
}

/// From how many elements on managed arrays are reduced on the device: the host has these while it would launch a
/// kernel and wait for it.
constexpr int64_t elementsForKernel = 65536;

/// Builds the kernel for one reduction.
class ReductionKernel {
public:
  ReductionKernel(Operation *op, const Reduction &reduction)
      : builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>())), loc(op->getLoc()),
        type(op->getResult(0).getType()), kind(reduction.combination->kind), clause(reduction.combination->clause),
        source(streamArrayOf(reduction)), array(builder, loc, reduction.array) {
    if (reduction.mask)
      mask.emplace(builder, loc, reduction.mask, array.arraysInKernel());
    if (reduction.factor)
      factor.emplace(builder, loc, reduction.factor, array.arraysInKernel());
  }

  /// The value of the reduction, on the host.
  Value build() {
    Value storage = builder.createTemporary(loc, type, ".reduction");
    Value result = hlfir::DeclareOp::create(builder, loc, storage, ".reduction").getBase();
    fir::StoreOp::create(builder, loc, valueAtStart(), result);
    StatementStream stream(builder, loc, source);
    reduceInto(result, createNeutral(builder, loc, kind, type));
    Value value = fir::LoadOp::create(builder, loc, result);
    if (mask)
      value = orValueForNone(value);
    stream.end(builder);
    return value;
  }

  /// The value of the reduction, from a kernel if there are many elements, else from `onHost`.
  Value buildForMany(llvm::function_ref<Value(fir::FirOpBuilder &)> onHost) {
    Value many = builder.createIntegerConstant(loc, builder.getIndexType(), elementsForKernel);
    Value areMany = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, elements(), many);
    return builder.genIfOp(loc, {type}, areMany, /*withElseRegion=*/true)
        .genThen([&] { fir::ResultOp::create(builder, loc, build()); })
        .genElse([&] { fir::ResultOp::create(builder, loc, onHost(builder)); })
        .getResults()[0];
  }

  /// The value of the reduction in device memory, without waiting for it.
  Value buildInto(Value scalar) {
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
    reduceInto(scalar, none ? none : createNeutral(builder, loc, kind, type));
    stream.end(builder);
    return fir::LoadOp::create(builder, loc, scalar);
  }

private:
  /// What the elements are combined with, and what is left if there are none.
  Value valueAtStart() {
    Value neutral = createNeutral(builder, loc, kind, type);
    Value empty = createValueForEmptyArray(builder, loc, kind, type);
    return empty ? arith::SelectOp::create(builder, loc, isEmpty(), empty, neutral).getResult() : neutral;
  }

  /// Combines `result` with the elements; where a mask is false, with `unselected`.
  void reduceInto(Value result, Value unselected) {
    combineInto(result, {clause, kind}, [&](ValueRange subscripts) { return contribution(subscripts, unselected); });
  }

  /// Combines `result` with what `contribute` makes of the elements with the given subscripts.
  void combineInto(Value result, const Combination &combination, llvm::function_ref<Value(ValueRange)> contribute) {
    SmallVector<Value> subscripts;
    cuf::KernelOp kernel = createKernelOver(builder, loc, array.extents(), subscripts, result,
                                            fir::ReduceAttr::get(builder.getContext(), combination.clause));
    Value before = fir::LoadOp::create(builder, loc, result);
    Value combined = createCombine(builder, loc, combination.kind, before, contribute(subscripts));
    fir::StoreOp::create(builder, loc, combined, result);
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
  }

  /// What the elements with these subscripts add.
  Value contribution(ValueRange subscripts, Value unselected) {
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
  Value orValueForNone(Value value) {
    Value none = createValueForEmptyArray(builder, loc, kind, type);
    if (!none)
      return value;
    Value neutral = createNeutral(builder, loc, kind, type);
    Value isUnchanged = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value, neutral);
    return builder.genIfOp(loc, {type}, isUnchanged, /*withElseRegion=*/true)
        .genThen([&] {
          Value chosen = arith::SelectOp::create(builder, loc, selectsAny(), value, none);
          fir::ResultOp::create(builder, loc, chosen);
        })
        .genElse([&] { fir::ResultOp::create(builder, loc, value); })
        .getResults()[0];
  }

  /// Whether the mask is true somewhere.
  Value selectsAny() {
    Type logical = fir::LogicalType::get(builder.getContext(), 4);
    Value storage = builder.createTemporary(loc, logical, ".selected");
    Value result = hlfir::DeclareOp::create(builder, loc, storage, ".selected").getBase();
    fir::StoreOp::create(builder, loc, createNeutral(builder, loc, disjunction.kind, logical), result);
    combineInto(result, disjunction,
                [&](ValueRange subscripts) { return builder.createConvert(loc, logical, mask->element(subscripts)); });
    return builder.createConvert(loc, builder.getI1Type(), fir::LoadOp::create(builder, loc, result));
  }

  Value elements() {
    Value elements = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
    for (Value extent : array.extents())
      elements = arith::MulIOp::create(builder, loc, elements, extent);
    return elements;
  }

  Value isEmpty() {
    Value zero = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, elements(), zero);
  }

  fir::FirOpBuilder builder;
  Location loc;
  Type type;
  ReductionKind kind;
  fir::ReduceOperationEnum clause;
  Value source;
  DeviceExpression array;
  std::optional<DeviceExpression> mask, factor;
};

/// Leaves the value in `scalar`, a variable of the device, if there is one.
void reduceByKernel(Operation *op, const Reduction &reduction, Value scalar = {}) {
  ReductionKernel kernel(op, reduction);
  op->getResult(0).replaceAllUsesWith(scalar ? kernel.buildInto(scalar) : kernel.build());
  op->erase();
  eraseExpressions(operandsOf(reduction));
}

//===-- Reductions of managed arrays -----------------------------------------------------------------------------===//

/// Clones at the place of a builder what expressions are evaluated by, and ends the clones.
class ExpressionCloner {
public:
  explicit ExpressionCloner(fir::FirOpBuilder &builder) : builder(builder) {}

  Value clone(Value value) {
    if (!isOfExpression(value))
      return value;
    if (values.contains(value))
      return values.lookup(value);
    Operation *op = value.getDefiningOp();
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value operand : used)
      values.map(operand, clone(operand));
    Operation *copy = builder.clone(*op, values);
    if (isa<hlfir::ExprType>(value.getType()))
      expressions.push_back(copy->getResult(0));
    return values.lookup(value);
  }

  void destroyClones(Location loc) {
    for (Value expression : llvm::reverse(expressions))
      hlfir::DestroyOp::create(builder, loc, expression);
  }

private:
  /// True for an array expression, and for its shape and extents.
  static bool isOfExpression(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa<hlfir::ExprType>(value.getType()))
      return bool(op);
    return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::any_of(op->getOperands(), isOfExpression);
  }

  fir::FirOpBuilder &builder;
  IRMapping values;
  SmallVector<Value> expressions;
};

/// True if the array or expression is known to have few elements.
bool hasFewElements(Value array) {
  auto type = dyn_cast<fir::SequenceType>(hlfir::getFortranElementOrSequenceType(array.getType()));
  return type && !type.hasDynamicExtents() && static_cast<int64_t>(type.getConstantArraySize()) < elementsForKernel;
}

bool canReduceManaged(const Reduction &reduction) {
  return isDeviceReduction(reduction) && streamArrayOf(reduction) && !hasFewElements(reduction.array);
}

/// Leaves small arrays to the host.
void reduceManaged(Operation *op, const Reduction &reduction) {
  ReductionKernel kernel(op, reduction);
  Value result = kernel.buildForMany([&](fir::FirOpBuilder &builder) {
    ExpressionCloner cloner(builder);
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, cloner.clone(operand));
    Value value = builder.clone(*op, operands)->getResult(0);
    cloner.destroyClones(op->getLoc());
    return value;
  });
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  eraseExpressions(operandsOf(reduction));
}

//===-- Reductions into device scalars ---------------------------------------------------------------------------===//

/// Collects the reductions that `value` is calculated from by operations that a kernel can repeat.
void collectReductions(Value value, llvm::SetVector<Operation *> &reductions) {
  Operation *op = value.getDefiningOp();
  if (op && canReduceByKernel(matchReduction(op)))
    reductions.insert(op);
  else if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op))
    for (Value operand : op->getOperands())
      collectReductions(operand, reductions);
}

/// True if `value`, which is used in the block of `op`, is known before it.
bool isKnownBefore(Operation *op, Value value) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op);
}

/// The reduction that can use the scalar to which `transfer` brings a value calculated from it, or null.
Operation *reductionFor(cuf::DataTransferOp transfer) {
  Value scalar = transfer.getDst();
  llvm::SetVector<Operation *> reductions;
  Value value = transferredScalar(transfer);
  if (value && isWritableDeviceScalar(scalar))
    collectReductions(value, reductions);
  if (reductions.size() != 1)
    return nullptr;
  Operation *op = reductions.front();
  SmallVector<Value> memory;
  collectMemoryOfScalar(value, memory);
  bool isRead = llvm::any_of(memory, [&](Value read) { return mayOverlap(scalar, read); }) ||
                llvm::any_of(op->getOperands(), [&](Value operand) { return mayRead(operand, scalar); });
  bool isOfType = op->getResult(0).getType() == fir::unwrapRefType(scalar.getType());
  bool isForTransfer = op->hasOneUse() && op->getBlock() == transfer->getBlock();
  return isOfType && isForTransfer && !isRead && isKnownBefore(op, scalar) ? op : nullptr;
}

} // namespace

void cufort::cufx::reduceIntoDeviceScalars(ModuleOp module) {
  SmallVector<cuf::DataTransferOp> transfers;
  module.walk([&](cuf::DataTransferOp transfer) {
    if (!isInDeviceCode(transfer))
      transfers.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : transfers) {
    Operation *op = reductionFor(transfer);
    if (!op)
      continue;
    dropPlaceOfScalar(transfer);
    reduceByKernel(op, matchReduction(op), transfer.getDst());
    auto load = transfer.getSrc().getDefiningOp<fir::LoadOp>();
    if (!load || load.getMemref() != transfer.getDst())
      continue;
    transfer.erase();
    load.erase();
  }
}

void cufort::cufx::reduceDeviceArrays(ModuleOp module) {
  SmallVector<Operation *> reductions;
  module.walk([&](Operation *op) {
    if (isArrayFunction(op) && !isInDeviceCode(op))
      reductions.push_back(op);
  });
  for (Operation *op : reductions) {
    if (Reduction reduction = matchReduction(op); canReduceByKernel(reduction)) {
      reduceByKernel(op, reduction);
      continue;
    } else if (canReduceManaged(reduction)) {
      reduceManaged(op, reduction);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (hlfir::isFortranVariableType(operand.get().getType()) && isHiddenFromHost(operand.get()))
        replaceByHostCopy(operand, endOfValue(op));
  }
}
