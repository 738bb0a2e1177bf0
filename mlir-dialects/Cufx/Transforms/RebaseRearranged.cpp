// Flang 22 writes out CSHIFT and RESHAPE as if the lower bounds of their arguments were 1, and reads the wrong elements
// of arrays where they are not.
//
// In: hlfir.cshift and hlfir.reshape of boxes, which may have other lower bounds. Out: the same of boxes that have lost
// them. To be removed when Flang is right.

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

/// The array of `box` with lower bounds of 1.
Value rebase(OpBuilder &builder, Location loc, Value box) {
  auto array = fir::unwrapRefType(cast<fir::BoxType>(box.getType()).getEleTy());
  return fir::ReboxOp::create(builder, loc, fir::BoxType::get(array), box, /*shape=*/Value(), /*slice=*/Value());
}

struct RebaseRearrangedPass : cufort::cufx::impl::RebaseRearrangedBase<RebaseRearrangedPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<hlfir::CShiftOp, hlfir::ReshapeOp>(op))
        return;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (mayCountFromElsewhere(operand.get()))
          operand.set(rebase(builder, op->getLoc(), operand.get()));
    });
  }
};

} // namespace
