// Flang 22 writes out CSHIFT with sums and differences that are said not to overflow as unsigned numbers, and are
// negative in between: the optimiser takes what follows for impossible, and reads elsewhere in memory.
//
// Of the bounds of arrays it promises nothing: a(0:n - 1) has as many elements as n only if n - 1 does not overflow,
// and without that each subscript takes products of 64 bits. No program may let it overflow (Fortran 2018, 10.1.5.2.4).
//
// In: FIR that Flang has made of HLFIR. Out: the same without the first promises on sums and differences, and with
// those of bounds, on both sides. To be removed when Flang is right.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_CORRECTOVERFLOWFLAGS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;

namespace {

template <typename Operation>
void dropUnsignedPromise(Operation op) {
  op.setOverflowFlags(op.getOverflowFlags() & ~arith::IntegerOverflowFlags::nuw);
}

/// Promises of the sums and products that `value` is made of that they do not overflow.
void promiseExact(Value value) {
  Operation *made = value.getDefiningOp();
  if (!made || !isa<fir::ConvertOp, arith::SelectOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(made))
    return;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(made)) {
    auto exact = flags.getOverflowAttr().getValue() | arith::IntegerOverflowFlags::nsw;
    made->setAttr(flags.getIntegerOverflowAttrName(), arith::IntegerOverflowFlagsAttr::get(made->getContext(), exact));
  }
  for (Value operand : made->getOperands())
    promiseExact(operand);
}

void promiseExactBounds(fir::DeclareOp array) {
  if (Operation *shape = array.getShape() ? array.getShape().getDefiningOp() : nullptr)
    for (Value bound : shape->getOperands())
      promiseExact(bound);
}

struct CorrectOverflowFlagsPass : cufort::cufx::impl::CorrectOverflowFlagsBase<CorrectOverflowFlagsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto sum = dyn_cast<arith::AddIOp>(op))
        dropUnsignedPromise(sum);
      else if (auto difference = dyn_cast<arith::SubIOp>(op))
        dropUnsignedPromise(difference);
      else if (auto array = dyn_cast<fir::DeclareOp>(op))
        promiseExactBounds(array);
    });
  }
};

} // namespace
