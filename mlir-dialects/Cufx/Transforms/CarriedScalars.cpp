// A value goes from iteration to iteration if an iteration reads the variable before it can have assigned it, and
// assigns it then. `if (condition) x = y` before the read leaves open whether it does; so do a read and an assignment
// that have a condition each, which may exclude each other.

#include "mlir-dialects/Cufx/Transforms/CarriedScalars.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if operations in different regions of `op` exclude each other, and none of them runs again.
bool isBranch(Operation *op) { return isa<fir::IfOp>(op); }

/// Two operations in an iteration, seen from the innermost region in which both are.
class Pair {
public:
  Pair(Operation *first, Operation *second, Region &loops) : loops(loops) {
    for (region = first->getParentRegion(); region != &loops; region = region->getParentRegion())
      if (region->isAncestor(second->getParentRegion()))
        break;
    outerFirst = region->findAncestorOpInRegion(*first);
    outerSecond = region->findAncestorOpInRegion(*second);
    isFirstCertain = isCertainWithin(first);
    isSecondCertain = isCertainWithin(second);
  }

  /// True if an iteration may come to the second operation after the first one.
  bool areInOrder() {
    if (comeInOrder())
      return true;
    for (Region *around = region; around != &loops; around = around->getParentRegion())
      if (!isBranch(around->getParentOp()))
        return true;
    return false;
  }

  /// True if each iteration that has one of both has the other one, too: the second one has come after the first one.
  bool belongTogether() {
    if (outerFirst == outerSecond || !comeInOrder())
      return false;
    Block *from = outerFirst->getBlock(), *to = outerSecond->getBlock();
    if (from == to)
      return isFirstCertain || isSecondCertain;
    Operation *around = region->getParentOp();
    return (isFirstCertain && DominanceInfo(around).dominates(from, to)) ||
           (isSecondCertain && PostDominanceInfo(around).postDominates(to, from));
  }

private:
  /// True if nothing decides whether `op` runs once the operation around it in `region` does. Loops count as if they
  /// had iterations.
  bool isCertainWithin(Operation *op) const {
    for (; op->getParentRegion() != region; op = op->getParentOp())
      if (isBranch(op->getParentOp()) || !op->getParentRegion()->hasOneBlock())
        return false;
    return true;
  }

  bool comeInOrder() const {
    if (outerFirst == outerSecond)
      return !isBranch(outerFirst);
    Block *from = outerFirst->getBlock(), *to = outerSecond->getBlock();
    return (from == to && outerFirst->isBeforeInBlock(outerSecond)) || reaches(from, to);
  }

  static bool reaches(Block *from, Block *to) {
    llvm::SetVector<Block *> reached(from->succ_begin(), from->succ_end());
    for (size_t next = 0; next < reached.size(); ++next)
      reached.insert(reached[next]->succ_begin(), reached[next]->succ_end());
    return reached.contains(to);
  }

  Region &loops;
  Region *region;
  Operation *outerFirst, *outerSecond;
  bool isFirstCertain, isSecondCertain;
};

} // namespace

fir::LoadOp cufort::cufx::carriedRead(Value reference, Region &loops) {
  SmallVector<fir::LoadOp> loads;
  SmallVector<fir::StoreOp> stores;
  SmallVector<Operation *> changes; ///< stores, and what may store
  for (Operation *user : reference.getUsers()) {
    if (!loops.isAncestor(user->getParentRegion()))
      continue;
    if (auto load = dyn_cast<fir::LoadOp>(user)) {
      loads.push_back(load);
      continue;
    }
    changes.push_back(user);
    if (auto store = dyn_cast<fir::StoreOp>(user))
      stores.push_back(store);
  }
  for (fir::LoadOp load : llvm::reverse(loads)) {
    bool isFirst = llvm::none_of(changes, [&](Operation *op) { return Pair(op, load, loops).areInOrder(); });
    if (isFirst && llvm::any_of(stores, [&](fir::StoreOp op) { return Pair(load, op, loops).belongTogether(); }))
      return load;
  }
  return {};
}
