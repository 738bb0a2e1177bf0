// Optional arrays of kernels that a launch leaves out.
//
// A kernel gets the descriptor of an array by value, so that the address of the descriptor, by which Fortran knows an
// absent argument elsewhere, is never null. For an absent array the launch passes a descriptor without memory.
//
// In: a kernel with a parameter that is a descriptor and optional. Out: its uses see an absent descriptor if that has
// no memory. Allocatable and pointer dummies, which are present without memory, are left alone.

#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_FINDABSENTARRAYS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

void findAbsence(OpBuilder &builder, BlockArgument descriptor) {
  Location loc = descriptor.getLoc();
  auto memory = fir::BoxAddrOp::create(builder, loc, descriptor);
  auto isPresent = fir::IsPresentOp::create(builder, loc, builder.getI1Type(), memory);
  auto absent = fir::AbsentOp::create(builder, loc, descriptor.getType());
  auto seen = arith::SelectOp::create(builder, loc, isPresent, descriptor, absent);
  SmallPtrSet<Operation *, 2> own{memory, seen};
  descriptor.replaceAllUsesExcept(seen, own);
}

struct FindAbsentArraysPass : cufort::cufx::impl::FindAbsentArraysBase<FindAbsentArraysPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!isKernel(func) || func.isDeclaration())
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
      for (BlockArgument argument : func.getArguments())
        if (isa<fir::BaseBoxType>(argument.getType()) &&
            func.getArgAttr(argument.getArgNumber(), fir::getOptionalAttrName()))
          findAbsence(builder, argument);
    }
  }
};

} // namespace
