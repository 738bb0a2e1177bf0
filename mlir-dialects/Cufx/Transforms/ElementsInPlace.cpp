// Lowering adds the lower bound minus 1 to the number of an element, unless the bound is known to be 1:
//
//   %bound:3 = fir.box_dims %array, %dimension     // or what %array has been declared with
//   %offset = arith.subi %bound#0, 1
//   %subscript = arith.addi %number, %offset

#include "mlir-dialects/Cufx/Transforms/ElementsInPlace.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace {

/// What `array` has been declared with; null if its lower bounds are 1, or in a descriptor.
Value declaredLowerBound(Value array, unsigned dimension) {
  auto declare = array.getDefiningOp<hlfir::DeclareOp>();
  Operation *shape = declare && declare.getShape() ? declare.getShape().getDefiningOp() : nullptr;
  if (auto shift = dyn_cast_if_present<fir::ShiftOp>(shape))
    return shift.getOrigins()[dimension];
  if (auto shift = dyn_cast_if_present<fir::ShapeShiftOp>(shape))
    return shift.getOrigins()[dimension];
  return {};
}

bool isLowerBound(Value bound, Value array, unsigned dimension) {
  auto dimensions = bound.getDefiningOp<fir::BoxDimsOp>();
  if (!dimensions)
    return bound == declaredLowerBound(array, dimension);
  return bound == dimensions.getResult(0) && dimensions.getVal() == array &&
         fir::getIntIfConstant(dimensions.getDim()) == dimension;
}

bool isSubscriptOf(Value subscript, Value number, Value array, unsigned dimension) {
  if (subscript == number)
    return true;
  auto sum = subscript.getDefiningOp<arith::AddIOp>();
  auto offset = sum && sum.getLhs() == number ? sum.getRhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return offset && fir::getIntIfConstant(offset.getRhs()) == 1 && isLowerBound(offset.getLhs(), array, dimension);
}

} // namespace

bool cufort::cufx::isElementInPlace(hlfir::DesignateOp element) {
  auto elemental = element->getParentOfType<hlfir::ElementalOp>();
  if (!elemental || element.getIndices().size() != elemental.getIndices().size())
    return false;
  for (auto [dimension, subscript, number] : llvm::enumerate(element.getIndices(), elemental.getIndices()))
    if (!isSubscriptOf(subscript, number, element.getMemref(), dimension))
      return false;
  return true;
}
