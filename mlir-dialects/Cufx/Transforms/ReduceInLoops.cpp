// Functions that reduce arrays in device code become loops that keep no elements.

#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/HLFIR/HLFIRDialect.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/ExtremesInLoops.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/RuntimeReductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_REDUCEINLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

struct ReduceInLoopsPass : cufort::cufx::impl::ReduceInLoopsBase<ReduceInLoopsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> reductions;
    // Those in expressions that others go through come before these.
    getOperation().walk([&](Operation *op) {
      if (isa<hlfir::MaxvalOp, hlfir::MinvalOp, hlfir::MaxlocOp, hlfir::MinlocOp, fir::CallOp>(op) &&
          isInDeviceCode(op))
        reductions.push_back(op);
    });
    for (Operation *op : reductions) {
      if (auto call = dyn_cast<fir::CallOp>(op))
        computeRuntimeReductionInLoop(call);
      else
        computeExtremeInLoop(op);
    }
  }
};

} // namespace
