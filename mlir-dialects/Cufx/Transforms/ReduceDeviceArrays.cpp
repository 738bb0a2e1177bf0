// In: HLFIR in which hlfir.sum and others of the host name a device array, or a host copy of one that Flang's lowering
// makes for an assignment. Out: for sum, product, maxval and minval without DIM and MASK,
//
//   fir.store %neutral to %result
//   cuf.kernel<<<*, *>>> reduce(%result : add) (%i : index) = ... {
//     %element = hlfir.designate %array (%i)
//     ... fir.store %combined to %result
//   }
//   %sum = fir.load %result
//
// and for the others a transfer of the array to a host temporary, which takes its place.

#include "mlir-dialects/Cufx/Transforms/ReduceDeviceArrays.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRAttr.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The device array that host code names as `value`, or null.
Value deviceArray(Value value) {
  if (!fir::isa_ref_type(value.getType()) && !isa<fir::BaseBoxType>(value.getType()))
    return {};
  if (Value array = arrayCopiedTo(value))
    return array;
  return isDeviceOnly(value) ? value : Value();
}

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
bool isWhole(Op op) {
  return !op.getDim() && !op.getMask();
}

/// The combination that `op` stands for, or null if no kernel does it.
const Combination *combinationOf(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!type.isF32() && !type.isF64() && !type.isInteger(32) && !type.isInteger(64))
    return nullptr;
  return llvm::TypeSwitch<Operation *, const Combination *>(op)
      .Case([](hlfir::SumOp op) { return isWhole(op) ? &sum : nullptr; })
      .Case([](hlfir::ProductOp op) { return isWhole(op) ? &product : nullptr; })
      .Case([](hlfir::MaxvalOp op) { return isWhole(op) ? &maximum : nullptr; })
      .Case([](hlfir::MinvalOp op) { return isWhole(op) ? &minimum : nullptr; })
      .Default([](Operation *) { return nullptr; });
}

/// A CUF kernel over all elements of `array`. Returns the block for the body, whose arguments are the subscripts.
cuf::KernelOp createKernel(fir::FirOpBuilder &builder, Location loc, hlfir::Entity array, Value result,
                           fir::ReduceOperationEnum kind) {
  SmallVector<Value> lower, upper, step;
  for (auto [first, last] : hlfir::genBounds(loc, builder, array)) {
    lower.push_back(first);
    upper.push_back(last);
    step.push_back(builder.createIntegerConstant(loc, builder.getIndexType(), 1));
  }
  // The outermost loop comes first; elements that are next to each other belong to neighbouring threads.
  std::reverse(lower.begin(), lower.end());
  std::reverse(upper.begin(), upper.end());
  auto reduction = fir::ReduceAttr::get(builder.getContext(), kind);
  auto kernel = cuf::KernelOp::create(builder, loc, ValueRange(), ValueRange(), Value(), lower, upper, step,
                                      builder.getI64IntegerAttr(lower.size()), ValueRange{result},
                                      builder.getArrayAttr({reduction}));
  SmallVector<Type> types(lower.size(), builder.getIndexType());
  SmallVector<Location> locations(lower.size(), loc);
  builder.createBlock(&kernel.getRegion(), {}, types, locations);
  return kernel;
}

Value isEmpty(fir::FirOpBuilder &builder, Location loc, hlfir::Entity array) {
  Value zero = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
  Value elements = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  for (Value extent : hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, array)))
    elements = arith::MulIOp::create(builder, loc, elements, extent);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, elements, zero);
}

void reduceByKernel(Operation *op, Value memory, const Combination &combination) {
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Value storage = builder.createTemporary(loc, type, ".reduction");
  Value result = hlfir::DeclareOp::create(builder, loc, storage, ".reduction").getBase();
  fir::StoreOp::create(builder, loc, createNeutral(builder, loc, combination.kind, type), result);
  hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{memory});
  cuf::KernelOp kernel = createKernel(builder, loc, array, result, combination.clause);
  SmallVector<Value> subscripts(llvm::reverse(kernel.getRegion().front().getArguments()));
  Value before = fir::LoadOp::create(builder, loc, result);
  Value address = hlfir::DesignateOp::create(builder, loc, fir::ReferenceType::get(type), array, subscripts);
  Value element = fir::LoadOp::create(builder, loc, address);
  fir::StoreOp::create(builder, loc, createCombine(builder, loc, combination.kind, before, element), result);
  fir::FirEndOp::create(builder, loc);
  builder.setInsertionPointAfter(kernel);
  Value value = fir::LoadOp::create(builder, loc, result);
  if (Value empty = valueForEmptyArray(builder, loc, combination.kind, type))
    value = arith::SelectOp::create(builder, loc, isEmpty(builder, loc, array), empty, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

//===-- Other reductions -----------------------------------------------------------------------------------------===//

/// Where the result of `op` is not needed any more. An array result may be computed where it is used.
Operation *endOfResult(Operation *op) {
  for (Operation *user : op->getUsers())
    if (isa<hlfir::DestroyOp>(user) && user->getBlock() == op->getBlock())
      return user;
  return op;
}

/// Lets `operand` be a host copy of the device array that it is.
void copyToHost(OpOperand &operand) {
  Operation *op = operand.getOwner();
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  Location loc = op->getLoc();
  hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{operand.get()});
  Value shape = hlfir::genShape(loc, builder, array);
  SmallVector<Value> extents = hlfir::getIndexExtents(loc, builder, shape);
  auto type = fir::SequenceType::get(fir::SequenceType::Shape(extents.size(), fir::SequenceType::getUnknownExtent()),
                                     array.getFortranElementType());
  Value memory = builder.createHeapTemporary(loc, type, ".host", extents);
  Value copy = hlfir::DeclareOp::create(builder, loc, memory, ".host", shape).getBase();
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, operand.get(), copy, Value(), kind);
  operand.set(copy);
  builder.setInsertionPointAfter(endOfResult(op));
  fir::FreeMemOp::create(builder, loc, memory);
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
    const Combination *combination = combinationOf(op);
    Value array = combination ? deviceArray(op->getOperand(0)) : Value();
    if (array) {
      reduceByKernel(op, array, *combination);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (deviceArray(operand.get()) && !arrayCopiedTo(operand.get()))
        copyToHost(operand);
  }
}
