#include "mlir-dialects/Cufx/Transforms/DeviceAssignment.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Builder/Runtime/Allocatable.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

/// The host can write managed data itself, if it can read the operands.
static bool isKernelTarget(const DeviceAssignment &assignment) {
  return isHiddenFromHost(assignment.target) ||
         (isSharedWithHost(assignment.target) && readsHiddenArray(assignment.expression));
}

std::optional<DeviceAssignment> DeviceAssignment::match(Operation *op) {
  DeviceAssignment assignment{op, {}, {}, {}};
  if (auto transfer = dyn_cast<cuf::DataTransferOp>(op)) {
    assignment.expression = transfer.getSrc();
    assignment.target = transfer.getDst();
    assignment.associated = transfer.getSrc().getDefiningOp<hlfir::AssociateOp>();
    if (assignment.associated) {
      if (!isOnlyFor(assignment.associated, op))
        return std::nullopt;
      assignment.expression = assignment.associated.getSource();
    }
  } else if (auto assign = dyn_cast<hlfir::AssignOp>(op)) {
    assignment.expression = assign.getRhs();
    assignment.target = assign.getLhs();
  } else {
    return std::nullopt;
  }
  if (!isa<hlfir::ExprType>(assignment.expression.getType()))
    return std::nullopt;
  assignment.target = variableOf(assignment.target);
  if (!isKernelTarget(assignment) || !hlfir::Entity{assignment.target}.isArray())
    return std::nullopt;
  return assignment;
}

bool DeviceAssignment::mayChangeShape() const {
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(target.getType()));
  bool isAllocatable = fir::isBoxAddress(target.getType()) && isa<fir::HeapType>(box.getEleTy());
  return isAllocatable && !readsInPlace(expression, target);
}

void DeviceAssignment::erase() {
  op->erase();
  if (associated)
    eraseAssociation(associated);
  eraseExpression(expression);
}

//===-- Shapes ---------------------------------------------------------------------------------------------------===//

static Value hasExtents(fir::FirOpBuilder &builder, Location loc, Value box, ValueRange extents) {
  Value address = fir::BoxAddrOp::create(builder, loc, box);
  Value conforms = builder.genIsNotNullAddr(loc, address);
  for (auto [number, extent] : llvm::enumerate(extents)) {
    Value dimension = builder.createIntegerConstant(loc, builder.getIndexType(), number);
    Type index = builder.getIndexType();
    Value has = fir::BoxDimsOp::create(builder, loc, index, index, index, box, dimension).getExtent();
    Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, has, extent);
    conforms = arith::AndIOp::create(builder, loc, conforms, isSame);
  }
  return conforms;
}

void cufort::cufx::giveShape(fir::FirOpBuilder &builder, Location loc, Value array, ValueRange extents) {
  auto attribute =
      cuf::DataAttributeAttr::get(builder.getContext(), dataAttribute(array).value_or(cuf::DataAttribute::Device));
  Value box = fir::LoadOp::create(builder, loc, array);
  Value conforms = hasExtents(builder, loc, box, extents);
  builder.genIfThenElse(loc, conforms)
      .genThen([] {})
      .genElse([&] {
        Value isAllocated = builder.genIsNotNullAddr(loc, fir::BoxAddrOp::create(builder, loc, box));
        builder.genIfThen(loc, isAllocated)
            .genThen([&] { cuf::DeallocateOp::create(builder, loc, builder.getI32Type(), array, Value(), attribute); })
            .end();
        Value one = builder.createIntegerConstant(loc, builder.getI32Type(), 1);
        for (auto [number, extent] : llvm::enumerate(extents))
          fir::runtime::genAllocatableSetBounds(
              builder, loc, array, builder.createIntegerConstant(loc, builder.getI32Type(), number), one, extent);
        cuf::AllocateOp::create(builder, loc, builder.getI32Type(), array, Value(), Value(), Value(), Value(),
                                attribute);
      })
      .end();
}
