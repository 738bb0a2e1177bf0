// A CUF kernel whose body branches (CYCLE, EXIT, GOTO) comes from Flang's lowering with its loops twice: as bounds of
// cuf.kernel, and as blocks in its region, which each thread would run through from the lower to the upper bound.
//
// In: for each loop of the cuf.kernel, outermost first, a block that sets a trip count and the loop variable and goes
// on to a header, which tests the count. Out: the count is set to 1 and the variable to the block argument of the
// region, and there is no header: the block goes on to the body, and the end of the body to what follows the loop. So a
// thread runs one iteration, and nothing seems to come back from one to another. What computed the bounds is erased: it
// would become work of the kernel.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_DROPSEQUENTIALLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;

namespace {

/// The last store of `block` to `address`, or null.
fir::StoreOp lastStoreTo(Block &block, Value address) {
  for (Operation &op : llvm::reverse(block))
    if (auto store = dyn_cast<fir::StoreOp>(op); store && store.getMemref() == address)
      return store;
  return {};
}

/// The variable whose value decides whether a loop with this header goes on, or null.
Value tripCountOf(Block &header) {
  auto test = dyn_cast<cf::CondBranchOp>(header.getTerminator());
  auto compare = test ? test.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto load = compare ? compare.getLhs().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
  return load ? load.getMemref() : Value();
}

/// Erases what nothing needs from `first` to the end of the block; calls for bounds count as not needed.
void eraseUnused(Operation *first, Operation *last) {
  for (Operation *op = last; op;) {
    Operation *previous = op == first ? nullptr : op->getPrevNode();
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() && !isa<fir::StoreOp>(op))
      op->erase();
    op = previous;
  }
}

class LoopDropper {
public:
  explicit LoopDropper(cuf::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    Block *setup = &kernel.getRegion().front();
    for (BlockArgument argument : setup->getArguments()) {
      fir::StoreOp start = storeOfIteration(argument);
      auto enter = dyn_cast<cf::BranchOp>(setup->getTerminator());
      Value trips = enter ? tripCountOf(*enter.getDest()) : Value();
      fir::StoreOp setTrips = trips ? lastStoreTo(*setup, trips) : fir::StoreOp();
      fir::StoreOp setVariable = start ? lastStoreTo(*setup, start.getMemref()) : fir::StoreOp();
      if (!setTrips || !setVariable)
        return kernel.emitError() << "branches in the loops of this CUF kernel are not supported";
      runOnce(setTrips, setVariable, start);
      // The next loop starts in the body of this one, and nothing stands before it.
      setup = dropHeader(setup, enter.getDest());
    }
    return success();
  }

private:
  /// Flang's lowering converts the block arguments and stores them to the loop variables before all else.
  fir::StoreOp storeOfIteration(BlockArgument argument) {
    for (Operation *convert : argument.getUsers())
      for (Operation *user : convert->getUsers())
        if (auto store = dyn_cast<fir::StoreOp>(user))
          return store;
    return {};
  }

  void runOnce(fir::StoreOp setTrips, fir::StoreOp setVariable, fir::StoreOp start) {
    OpBuilder builder(setTrips);
    Type countType = setTrips.getValue().getType();
    Value one = arith::ConstantIntOp::create(builder, setTrips.getLoc(), countType, 1);
    setTrips.getValueMutable().assign(one);
    Block *block = setTrips->getBlock();
    bool isOutermost = block == start->getBlock();
    setVariable.getValueMutable().assign(start.getValue());
    eraseUnused(isOutermost ? start->getNextNode() : &block->front(), block->getTerminator()->getPrevNode());
  }

  /// Returns the body of the loop.
  static Block *dropHeader(Block *setup, Block *header) {
    auto test = cast<cf::CondBranchOp>(header->getTerminator());
    Block *body = test.getTrueDest(), *following = test.getFalseDest();
    for (BlockOperand &use : llvm::make_early_inc_range(header->getUses()))
      use.set(use.getOwner()->getBlock() == setup ? body : following);
    header->erase();
    return body;
  }

  cuf::KernelOp kernel;
};

struct DropSequentialLoopsPass : cufort::cufx::impl::DropSequentialLoopsBase<DropSequentialLoopsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](cuf::KernelOp kernel) {
      bool branches = !kernel.getRegion().hasOneBlock();
      return WalkResult(branches ? LoopDropper(kernel).run() : success());
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
