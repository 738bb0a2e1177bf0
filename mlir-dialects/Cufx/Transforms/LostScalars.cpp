// What a thread assigns to its copy of a host scalar is gone when the thread ends. For a temporary of an iteration that
// is as it should be: it is assigned before it is used. The user means something else where an iteration uses what
// others have left in the variable in order to change it, as in a sum that is stored in each step, or where none uses
// it.

#include "mlir-dialects/Cufx/Transforms/LostScalars.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/CarriedScalars.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Knows where an iteration has assigned the variable.
class Assignments {
public:
  Assignments(Value reference, Region &loops) : reference(reference), loops(loops) {}

  /// True if the iteration has certainly assigned the variable when it comes to `op`.
  bool precede(Operation *op) {
    for (; op; op = op->getParentOp()) {
      Block *block = op->getBlock();
      for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
        if (assigns(*before))
          return true;
      if (areMadeBefore(block))
        return true;
      if (block->getParent() == &loops)
        return false;
    }
    return false;
  }

private:
  /// True if `op` assigns the variable, whatever happens in it; a call may do it, too.
  bool assigns(Operation &op) {
    if (isa<fir::LoadOp>(op))
      return false;
    if (auto store = dyn_cast<fir::StoreOp>(op))
      return store.getMemref() == reference;
    if (auto choice = dyn_cast<fir::IfOp>(op))
      return !choice.getElseRegion().empty() && assigns(choice.getThenRegion().front()) &&
             assigns(choice.getElseRegion().front());
    return llvm::is_contained(op.getOperands(), reference);
  }
  bool assigns(Block &block) {
    return llvm::any_of(block, [&](Operation &op) { return assigns(op); });
  }

  /// True if the variable is assigned on all ways to `block`.
  bool areMadeBefore(Block *block) {
    Region *region = block->getParent();
    if (region->hasOneBlock())
      return false;
    if (!analysed.insert(region))
      return before[block];
    for (Block &each : *region)
      before[&each] = !each.isEntryBlock();
    for (bool changed = true; changed;) {
      changed = false;
      for (Block &each : *region) {
        bool isMade = !each.isEntryBlock() && llvm::all_of(each.getPredecessors(), [&](Block *previous) {
          return before[previous] || assigns(*previous);
        });
        changed |= isMade != before[&each];
        before[&each] = isMade;
      }
    }
    return before[block];
  }

  Value reference;
  Region &loops;
  SetVector<Region *> analysed;
  llvm::DenseMap<Block *, bool> before;
};

class Scalar {
public:
  Scalar(Value reference, Region &loops) : reference(reference), loops(loops), assignments(reference, loops) {
    for (Operation *user : reference.getUsers()) {
      if (!loops.isAncestor(user->getParentRegion()))
        continue;
      if (auto store = dyn_cast<fir::StoreOp>(user))
        stores.push_back(store);
      else
        isRead = true;
    }
  }

  /// The first assignment whose value is lost, or null.
  fir::StoreOp lost() {
    for (fir::StoreOp store : llvm::reverse(stores))
      if (isRead ? dependsOnOthers(store) : isResult(store.getValue()))
        return store;
    return {};
  }

private:
  /// True if `store` combines something with what other iterations have left in the variable, or is guarded by that.
  bool dependsOnOthers(fir::StoreOp store) {
    if (usesFormerValue(store.getValue()))
      return true;
    for (Operation *op = store->getParentOp(); op && loops.isAncestor(op->getParentRegion()); op = op->getParentOp())
      if (auto guard = dyn_cast<fir::IfOp>(op); guard && usesFormerValue(guard.getCondition()))
        return true;
    return false;
  }

  bool usesFormerValue(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !loops.isAncestor(op->getParentRegion()))
      return false;
    if (auto load = dyn_cast<fir::LoadOp>(op); load && load.getMemref() == reference)
      return !assignments.precede(load);
    return llvm::any_of(op->getOperands(), [&](Value operand) { return usesFormerValue(operand); });
  }

  /// True unless `value` counts a loop, or is what a procedure returns that is called for something else.
  bool isResult(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    return isa<fir::LoadOp>(op) || (isMemoryEffectFree(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
                                      return isIteration(operand) || isResult(operand);
                                    }));
  }
  bool isIteration(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getParentRegion() == &loops;
  }

  Value reference;
  Region &loops;
  Assignments assignments;
  SmallVector<fir::StoreOp> stores;
  bool isRead = false;
};

} // namespace

void cufort::cufx::warnOfLostScalar(Value reference, Region &loops) {
  StringRef name = variableName(reference);
  if (name.empty() || name.starts_with("."))
    return;
  if (fir::StoreOp store = Scalar(reference, loops).lost())
    store.emitWarning() << "what a CUF kernel assigns to the host variable '" << name
                        << "' is lost: a reduction has to combine it by one operation, and the loops cannot use it for "
                           "anything else; other results need device or managed data";
  else if (fir::LoadOp load = carriedRead(reference, loops))
    load.emitWarning() << "each thread of a CUF kernel has a copy of the host variable '" << name
                       << "': what it reads here is not what the iteration before has assigned; calculate it from the "
                          "loop variables, or keep the values of all iterations in a device array";
}
