// Flang 22 writes out CSHIFT with sums and differences that are said not to overflow as unsigned numbers, and are
// negative in between: the optimiser takes what follows for impossible, and reads elsewhere in memory.
//
// In: FIR that Flang has made of HLFIR. Out: the same without these promises on sums and differences, on both sides. To
// be removed when Flang is right.

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

struct CorrectOverflowFlagsPass : cufort::cufx::impl::CorrectOverflowFlagsBase<CorrectOverflowFlagsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto sum = dyn_cast<arith::AddIOp>(op))
        dropUnsignedPromise(sum);
      else if (auto difference = dyn_cast<arith::SubIOp>(op))
        dropUnsignedPromise(difference);
    });
  }
};

} // namespace
