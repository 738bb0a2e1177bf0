#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"

using namespace mlir;

Value cufort::cufx::yieldedBy(Region &region) {
  auto yield = region.hasOneBlock() ? dyn_cast<hlfir::YieldOp>(region.front().getTerminator()) : hlfir::YieldOp();
  return yield ? yield.getEntity() : Value();
}

Value cufort::cufx::evaluateBefore(Region &region, hlfir::WhereOp where) {
  auto yield = cast<hlfir::YieldOp>(region.front().getTerminator());
  Value value = yield.getEntity();
  for (Operation &op : llvm::make_early_inc_range(region.front().without_terminator()))
    op.moveBefore(where);
  if (!yield.getCleanup().empty())
    for (Operation &op : llvm::make_early_inc_range(yield.getCleanup().front().without_terminator()))
      op.moveAfter(where);
  yield.erase();
  return value;
}

/// The end of what is done when the value of `yield` is not needed any more.
static Operation *endOfCleanup(hlfir::YieldOp yield) {
  Region &cleanup = yield.getCleanup();
  if (cleanup.empty()) {
    OpBuilder builder(yield.getContext());
    builder.createBlock(&cleanup);
    fir::FirEndOp::create(builder, yield.getLoc());
  }
  return cleanup.front().getTerminator();
}

static void dissolve(hlfir::ExactlyOnceOp once) {
  Block &body = once.getBody().front();
  auto yield = cast<hlfir::YieldOp>(body.getTerminator());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    op.moveBefore(once);
  Operation *end = once->getBlock()->getTerminator();
  if (!yield.getCleanup().empty())
    for (Operation &op : llvm::make_early_inc_range(yield.getCleanup().front().without_terminator()))
      op.moveBefore(isa<hlfir::YieldOp>(end) ? endOfCleanup(cast<hlfir::YieldOp>(end)) : end);
  once.getResult().replaceAllUsesWith(yield.getEntity());
  once.erase();
}

void cufort::cufx::dissolveExactlyOnce(Operation *whole) {
  SmallVector<hlfir::ExactlyOnceOp> found;
  whole->walk([&](hlfir::ExactlyOnceOp once) { found.push_back(once); });
  llvm::for_each(found, dissolve);
}

Location cufort::cufx::locationOf(hlfir::WhereOp where) {
  return where.getMaskRegion().empty() ? where.getLoc() : where.getMaskRegion().front().getTerminator()->getLoc();
}

bool cufort::cufx::isReadFrom(Value value, Value array) {
  SmallVector<Value> memory;
  collectMemoryOfScalar(value, memory);
  return llvm::any_of(memory, [&](Value read) { return mayOverlap(array, read); });
}
