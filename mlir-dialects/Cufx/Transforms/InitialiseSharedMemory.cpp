// In: HLFIR of device code in which each thread initialises a shared variable, by a call or by a copy.
//
//   %shared = cuf.shared_memory !fir.type<...>
//   fir.call @_FortranAInitialize(%shared, ...)
//
// Out: where a kernel begins,
//
//   %isFirst = ... cufx.extent thread_idx ...
//   fir.if %isFirst { fir.call @_FortranAInitialize(%shared, ...) }
//   cufx.barrier
//
// Without the barrier, threads that come later would undo what earlier ones have assigned. In device procedures, and in
// BLOCK constructs behind branches, not all threads may come to one: nothing is initialised there, as CUDA Fortran has
// it for shared variables (guide 2.6.4), and a warning says so.

#include "mlir-dialects/Cufx/Transforms/InitialiseSharedMemory.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The shared variable that `op` initialises, or null.
Value initialisedVariable(Operation *op) {
  Value variable;
  if (auto call = dyn_cast<fir::CallOp>(op); call && calleeName(call) == "_FortranAInitialize")
    variable = call.getArgs()[0];
  else if (auto copy = dyn_cast<fir::CopyOp>(op))
    variable = copy.getDestination();
  return variable && memoryOf(variable).getDefiningOp<cuf::SharedMemoryOp>() ? variable : Value();
}

/// Of device procedures the front end says it, at the name.
void leaveUndefined(Operation *op, bool isInKernel) {
  if (isInKernel)
    op->emitWarning() << "the components of the shared variable '" << variableName(initialisedVariable(op))
                      << "' do not have their initial values here, where not all threads of a block may come together: "
                         "assign them";
  op->erase();
}

Value isFirstThread(OpBuilder &builder, Location loc) {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32), all;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z}) {
    Value index = ExtentOp::create(builder, loc, builder.getI32Type(), Extent::ThreadIdx, axis);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, zero);
    all = all ? arith::AndIOp::create(builder, loc, all, isZero).getResult() : isZero;
  }
  return all;
}

void initialiseByOne(ArrayRef<Operation *> initialisations) {
  for (Operation *op : initialisations) {
    OpBuilder builder(op);
    auto branch = fir::IfOp::create(builder, op->getLoc(), isFirstThread(builder, op->getLoc()), false);
    op->moveBefore(branch.getThenRegion().front().getTerminator());
  }
  Operation *last = initialisations.back()->getParentOp();
  OpBuilder builder(last);
  builder.setInsertionPointAfter(last);
  BarrierOp::create(builder, last->getLoc(), Type(), BarrierReductionAttr(), Value());
}

} // namespace

void cufort::cufx::initialiseSharedMemory(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> atStart, elsewhere;
    func.walk([&](Operation *op) {
      if (initialisedVariable(op))
        (isKernel(func) && op->getBlock() == &func.front() ? atStart : elsewhere).push_back(op);
    });
    for (Operation *op : elsewhere)
      leaveUndefined(op, isKernel(func));
    if (!atStart.empty())
      initialiseByOne(atStart);
  }
}
