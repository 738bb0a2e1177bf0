// Flang 22 writes out CSHIFT, EOSHIFT and RESHAPE as if the lower bounds of their arguments were 1, and reads the wrong
// elements of arrays where they are not.
//
// In: hlfir.cshift, hlfir.eoshift and hlfir.reshape of boxes, which may have other lower bounds. Out: the same of boxes
// that have lost them, or of the arrays themselves if these are components with constant extents: Flang makes boxes of
// such without extents and bounds. Where a variable that gets such a component may be allocated, it gets its bounds
// from a declaration for the same reason. To be removed when Flang is right.

#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_REBASEREARRANGED
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;

namespace {

/// Whether `value` is a box of an array of known type, from which lower bounds may be read.
bool mayCountFromElsewhere(Value value) {
  auto box = dyn_cast<fir::BoxType>(value.getType());
  return box && !fir::isPolymorphicType(box) && hlfir::Entity{value}.mayHaveNonDefaultLowerBounds();
}

/// The bounds of the whole component that `box` is; null if it is none of constant extents.
fir::ShapeShiftOp boundsOfComponent(Value box) {
  auto component = box.getDefiningOp<hlfir::DesignateOp>();
  bool isWhole = component && component.getComponent() && component.getIndices().empty() &&
                 !component.getComplexPart() && component.getShape();
  if (!isWhole || fir::hasDynamicSize(hlfir::getFortranElementOrSequenceType(box.getType())))
    return nullptr;
  return component.getShape().getDefiningOp<fir::ShapeShiftOp>();
}

/// The component that `box` is, with `bounds`, in memory that it has without a gap.
hlfir::DesignateOp withoutBox(OpBuilder &builder, Location loc, Value box, fir::ShapeShiftOp bounds) {
  auto component = box.getDefiningOp<hlfir::DesignateOp>();
  Type array = hlfir::getFortranElementOrSequenceType(box.getType());
  std::vector<Value> extents = bounds.getExtents();
  Value shape = fir::ShapeOp::create(builder, loc, extents);
  return hlfir::DesignateOp::create(builder, loc, fir::ReferenceType::get(array), component.getMemref(),
                                    component.getComponentAttr(), component.getComponentShape(), ValueRange(),
                                    component.getIsTripletAttr(), ValueRange(), component.getComplexPartAttr(), shape,
                                    component.getTypeparams(), component.getFortranAttrsAttr());
}

/// The array of `box` with lower bounds of 1.
Value rebase(OpBuilder &builder, Location loc, Value box) {
  if (fir::ShapeShiftOp bounds = boundsOfComponent(box))
    return withoutBox(builder, loc, box, bounds);
  auto array = fir::unwrapRefType(cast<fir::BoxType>(box.getType()).getEleTy());
  return fir::ReboxOp::create(builder, loc, fir::BoxType::get(array), box, /*shape=*/Value(), /*slice=*/Value());
}

/// Lets a variable that `assign` may allocate get the lower bounds of a component.
void keepBounds(hlfir::AssignOp assign) {
  Value box = assign.getRhs();
  fir::ShapeShiftOp bounds = boundsOfComponent(box);
  if (!bounds || !assign.isAllocatableAssignment())
    return;
  OpBuilder builder(assign);
  hlfir::DesignateOp component = withoutBox(builder, assign.getLoc(), box, bounds);
  auto variable =
      hlfir::DeclareOp::create(builder, assign.getLoc(), component, "component", bounds, component.getTypeparams());
  assign.getRhsMutable().assign(variable.getBase());
}

struct RebaseRearrangedPass : cufort::cufx::impl::RebaseRearrangedBase<RebaseRearrangedPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto assign = dyn_cast<hlfir::AssignOp>(op))
        keepBounds(assign);
      if (!isa<hlfir::CShiftOp, hlfir::EOShiftOp, hlfir::ReshapeOp>(op))
        return;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (mayCountFromElsewhere(operand.get()))
          operand.set(rebase(builder, op->getLoc(), operand.get()));
    });
  }
};

} // namespace
