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
// and for the others a transfer of the array to a host temporary, which takes its place.

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
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The value of MAXVAL and MINVAL for an empty array of `type`: the smallest or largest finite number (Fortran 2018
/// 16.9.133, 16.9.141); null if that of the reduction is right.
Value valueForEmptyArray(fir::FirOpBuilder &builder, Location loc, ReductionKind kind, Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (!real || (kind != ReductionKind::Max && kind != ReductionKind::Min))
    return {};
  bool negative = kind == ReductionKind::Max;
  return builder.createRealConstant(loc, type, llvm::APFloat::getLargest(real.getFloatSemantics(), negative));
}

template <typename Op>
Reduction ofNumbers(Op op, const Combination &combination) {
  Type type = op.getType();
  bool isSupported = type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  if (op.getDim() || !isSupported)
    return {};
  return {&combination, op.getArray(), op.getMask(), {}};
}

template <typename Op>
Reduction ofMask(Op op, const Combination &combination) {
  return op.getDim() ? Reduction{} : Reduction{&combination, op.getMask(), {}, {}};
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

/// True if `value` is, or reads, an array that only the device can read.
bool isOnDevice(Value value) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return bool(deviceArray(value));
  bool found = false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (!isa<hlfir::ElementalOp>(op))
    return llvm::any_of(op->getOperands(), isOnDevice);
  op->walk([&](Operation *inner) {
    if (auto apply = dyn_cast<hlfir::ApplyOp>(inner))
      found |= isOnDevice(apply.getExpr());
    if (auto element = dyn_cast<hlfir::DesignateOp>(inner))
      found |= isOnDevice(element.getMemref());
  });
  return found;
}

bool canReduceByKernel(const Reduction &reduction) {
  SmallVector<Value> operands;
  for (Value operand : {reduction.array, reduction.mask, reduction.factor})
    if (operand)
      operands.push_back(operand);
  return reduction.combination &&
         llvm::all_of(operands, [](Value operand) { return DeviceExpression::isOne(operand); }) &&
         llvm::any_of(operands, isOnDevice);
}

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

/// Builds the kernel for one reduction.
class ReductionKernel {
public:
  ReductionKernel(Operation *op, const Reduction &reduction)
      : builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>())), loc(op->getLoc()),
        type(op->getResult(0).getType()), kind(reduction.combination->kind), clause(reduction.combination->clause),
        array(builder, loc, reduction.array) {
    if (reduction.mask)
      mask.emplace(builder, loc, reduction.mask);
    if (reduction.factor)
      factor.emplace(builder, loc, reduction.factor);
  }

  /// The value of the reduction.
  Value build() {
    Value storage = builder.createTemporary(loc, type, ".reduction");
    Value result = hlfir::DeclareOp::create(builder, loc, storage, ".reduction").getBase();
    fir::StoreOp::create(builder, loc, createNeutral(builder, loc, kind, type), result);
    SmallVector<Value> subscripts;
    cuf::KernelOp kernel = createKernelOver(builder, loc, array.extents(), subscripts, result,
                                            fir::ReduceAttr::get(builder.getContext(), clause));
    Value before = fir::LoadOp::create(builder, loc, result);
    fir::StoreOp::create(builder, loc, createCombine(builder, loc, kind, before, contribution(subscripts)), result);
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
    Value value = fir::LoadOp::create(builder, loc, result);
    if (Value empty = valueForEmptyArray(builder, loc, kind, type))
      value = arith::SelectOp::create(builder, loc, isEmpty(), empty, value);
    return value;
  }

private:
  /// What the elements with these subscripts add.
  Value contribution(ValueRange subscripts) {
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
    Value isCounted = builder.createConvert(loc, builder.getI1Type(), mask->element(subscripts));
    return arith::SelectOp::create(builder, loc, isCounted, element, createNeutral(builder, loc, kind, type));
  }

  Value isEmpty() {
    Value zero = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
    Value elements = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
    for (Value extent : array.extents())
      elements = arith::MulIOp::create(builder, loc, elements, extent);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, elements, zero);
  }

  fir::FirOpBuilder builder;
  Location loc;
  Type type;
  ReductionKind kind;
  fir::ReduceOperationEnum clause;
  DeviceExpression array;
  std::optional<DeviceExpression> mask, factor;
};

void reduceByKernel(Operation *op, const Reduction &reduction) {
  op->getResult(0).replaceAllUsesWith(ReductionKernel(op, reduction).build());
  op->erase();
  for (Value operand : {reduction.array, reduction.mask, reduction.factor})
    if (operand)
      eraseExpression(operand);
}

//===-- Other reductions -----------------------------------------------------------------------------------------===//

/// Lets `operand` be a host copy of the device array that it is.
void replaceByHostCopy(OpOperand &operand) {
  Operation *op = operand.getOwner();
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  auto [copy, memory] = copyToHost(builder, op->getLoc(), operand.get());
  operand.set(copy);
  builder.setInsertionPointAfter(endOfValue(op));
  fir::FreeMemOp::create(builder, op->getLoc(), memory);
}

bool isReduction(Operation *op) {
  return isa<hlfir::SumOp, hlfir::ProductOp, hlfir::MaxvalOp, hlfir::MinvalOp, hlfir::MaxlocOp, hlfir::MinlocOp,
             hlfir::CountOp, hlfir::AnyOp, hlfir::AllOp, hlfir::DotProductOp, hlfir::MatmulOp, hlfir::TransposeOp>(op);
}

} // namespace

void cufort::cufx::reduceDeviceArrays(ModuleOp module) {
  SmallVector<Operation *> reductions;
  module.walk([&](Operation *op) {
    if (isReduction(op) && !isInDeviceCode(op))
      reductions.push_back(op);
  });
  for (Operation *op : reductions) {
    if (Reduction reduction = matchReduction(op); canReduceByKernel(reduction)) {
      reduceByKernel(op, reduction);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if ((deviceArray(operand.get()) || isHiddenFromHost(operand.get())) && !arrayCopiedTo(operand.get()))
        replaceByHostCopy(operand);
  }
}
