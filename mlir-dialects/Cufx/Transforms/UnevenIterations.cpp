#include "mlir-dialects/Cufx/Transforms/UnevenIterations.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
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

} // namespace

bool cufort::cufx::areUneven(KernelLoopsOp loops) { return Iterations(loops.getBody()).areUneven(); }
