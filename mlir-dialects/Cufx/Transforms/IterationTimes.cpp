#include "mlir-dialects/Cufx/Transforms/IterationTimes.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// What so many operations, one after the other, make of something is taken to differ from iteration to iteration.
constexpr unsigned deepest = 12;

/// True if `op` is the branch at the end of a loop that DO WHILE, EXIT or GOTO makes.
bool branchesBack(Operation *op) {
  Block *from = op->getBlock();
  return llvm::any_of(op->getSuccessors(), [&](Block *to) {
    auto first = llvm::find_if(*from->getParent(), [&](Block &block) { return &block == from || &block == to; });
    return &*first == to;
  });
}

bool loopsAtWill(Operation *op) { return isa<fir::IterWhileOp>(op) || branchesBack(op); }

/// Of procedures, whose arguments are not looked at: they may be the same in all iterations.
bool calleeLoopsAtWill(fir::CallOp call) {
  func::FuncOp callee = definedCallee(call);
  auto stop = [](Operation *op) { return loopsAtWill(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  return callee && callee.walk(stop).wasInterrupted();
}

class Iterations {
public:
  explicit Iterations(Region &body) : body(body) {}

  bool areUneven() const {
    auto stop = [&](Operation *op) {
      bool isUneven = loopsAtWill(op);
      if (auto loop = dyn_cast<fir::DoLoopOp>(op))
        isUneven = !isSame(loop.getLowerBound()) || !isSame(loop.getUpperBound()) || !isSame(loop.getStep());
      else if (auto call = dyn_cast<fir::CallOp>(op))
        isUneven = calleeLoopsAtWill(call);
      return isUneven ? WalkResult::interrupt() : WalkResult::advance();
    };
    return body.walk(stop).wasInterrupted();
  }

private:
  bool isOutside(Value value) const { return !body.isAncestor(value.getParentRegion()); }

  /// True if all iterations have the same `value`, as far as a short look tells.
  bool isSame(Value value, unsigned depth = 0) const {
    if (isOutside(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || depth == deepest)
      return false;
    if (auto load = dyn_cast<fir::LoadOp>(op))
      return isOutside(load.getMemref()) && !isStored(load.getMemref());
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isSame(operand, depth + 1); });
  }

  bool isStored(Value variable) const {
    return llvm::any_of(variable.getUsers(), [&](Operation *user) {
      return isa<fir::StoreOp>(user) && body.isAncestor(user->getParentRegion());
    });
  }

  Region &body;
};

constexpr double unknownTrips = 16, mostOperations = 1e6;
constexpr double ofFunction = 40, ofDivision = 10;
constexpr unsigned deepestCall = 3;

double operationsIn(Region &region, unsigned depth);

double tripsOf(fir::DoLoopOp loop) {
  auto trips = knownTrips(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  return trips ? std::max(0.0, double(*trips)) : unknownTrips;
}

double operationsOf(fir::CallOp call, unsigned depth) {
  func::FuncOp callee = depth < deepestCall ? definedCallee(call) : func::FuncOp();
  return callee ? operationsIn(callee.getBody(), depth + 1) : ofFunction;
}

/// Without what is in the regions of `op`.
double operationsOf(Operation &op) {
  if (isa<arith::DivFOp, arith::DivSIOp, arith::RemSIOp>(op))
    return ofDivision;
  if (isa<fir::ConvertOp, fir::DeclareOp, arith::ConstantOp, math::AbsFOp, math::AbsIOp, math::FmaOp>(op))
    return 1;
  return isa<math::MathDialect>(op.getDialect()) ? ofFunction : 1;
}

double operationsIn(Region &region, unsigned depth) {
  double sum = 0;
  bool hasLoop = false;
  for (Operation &op : region.getOps()) {
    hasLoop |= branchesBack(&op);
    double inside = 0;
    for (Region &inner : op.getRegions())
      inside += operationsIn(inner, depth);
    if (auto loop = dyn_cast<fir::DoLoopOp>(op))
      inside *= tripsOf(loop);
    else if (isa<fir::IterWhileOp>(op))
      inside *= unknownTrips;
    auto call = dyn_cast<fir::CallOp>(op);
    sum += inside + (call ? operationsOf(call, depth) : operationsOf(op));
  }
  return hasLoop ? unknownTrips * sum : sum;
}

} // namespace

std::optional<int64_t> cufort::cufx::knownTrips(Value first, Value last, Value step) {
  auto from = fir::getIntIfConstant(first), to = fir::getIntIfConstant(last), by = fir::getIntIfConstant(step);
  if (!from || !to || !by || *by == 0)
    return std::nullopt;
  return (*to - *from + *by) / *by;
}

bool cufort::cufx::areUneven(KernelLoopsOp loops) { return Iterations(loops.getBody()).areUneven(); }

int32_t cufort::cufx::costOfIteration(KernelLoopsOp loops) {
  return static_cast<int32_t>(std::clamp(operationsIn(loops.getBody(), 0), 1.0, mostOperations));
}
