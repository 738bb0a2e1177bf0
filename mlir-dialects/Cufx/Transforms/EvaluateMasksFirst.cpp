// In: DO CONCURRENT with a mask, as Flang's lowering makes it: a fir.if with all of the loop's body, behind what
// evaluates the mask, so that an iteration sees what those before it have changed. Out: where that may make a
// difference, a loop in front of it has evaluated the mask for all iterations, into an array in the heap.
//
// Nothing is done where the body changes, of the variables that the mask reads, nothing but the element of its own
// iteration.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_EVALUATEMASKSFIRST
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The condition on all of the body; null if the loop has no mask. It is at the place of the DO statement.
fir::IfOp maskOf(fir::DoConcurrentLoopOp loop) {
  Block &body = loop.getRegion().front();
  auto condition = body.empty() ? fir::IfOp() : dyn_cast<fir::IfOp>(body.back());
  return condition && condition.getLoc() == loop.getLoc() && condition.getNumResults() == 0 ? condition : fir::IfOp();
}

bool isMemory(Value value) { return fir::isa_ref_type(value.getType()) || isa<fir::BaseBoxType>(value.getType()); }

class MaskedLoop {
public:
  MaskedLoop(fir::DoConcurrentLoopOp loop, fir::IfOp mask)
      : loop(loop), mask(mask), whole(cast<fir::DoConcurrentOp>(loop->getParentOp())) {}

  /// True if an iteration may change what the mask of another one reads.
  bool mayChangeMasks() {
    findReads();
    bool mayChange = false;
    mask.walk([&](Operation *op) {
      forEachChange(*op, [&](Value memory) { mayChange |= !isPrivate(memory) && isRead(memory); });
      mayChange |= isa<hlfir::RegionAssignOp>(op);
    });
    return mayChange;
  }

  void evaluateFirst() {
    OpBuilder builder(whole);
    Location loc = loop.getLoc();
    Value total = countIterations(builder);
    auto type = fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, builder.getI8Type());
    Value values = fir::AllocMemOp::create(builder, loc, type, "", "", ValueRange(), ValueRange{total});
    auto first = cast<fir::DoConcurrentOp>(builder.clone(*whole));
    storeMask(cast<fir::DoConcurrentLoopOp>(first.getRegion().front().back()), values);
    builder.setInsertionPoint(mask);
    Value value = fir::LoadOp::create(builder, loc, placeIn(builder, loop, values));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
    mask.getConditionMutable().assign(
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero).getResult());
    eraseMask();
    builder.setInsertionPointAfter(whole);
    fir::FreeMemOp::create(builder, loc, values);
  }

private:
  void findReads() {
    for (Operation &op : loop.getRegion().front()) {
      if (&op == mask)
        return;
      op.walk([&](Operation *part) {
        if (isa<fir::CallOp, fir::DispatchOp>(part))
          readsAnything |= !isOfRuntime(part);
        if (isa<fir::DeclareOp, hlfir::DeclareOp, hlfir::DesignateOp, fir::ConvertOp, fir::BoxAddrOp, fir::StoreOp>(
                part))
          return;
        for (Value operand : part->getOperands())
          if (isMemory(operand) && !isPrivate(operand))
            reads.push_back(operand);
      });
    }
  }

  static bool isOfRuntime(Operation *op) {
    auto call = dyn_cast<fir::CallOp>(op);
    return call && call.getCallee() && call.getCallee()->getRootReference().strref().starts_with("_Fortran");
  }

  /// Procedures that DO CONCURRENT may call are pure: they change arguments alone.
  static void forEachChange(Operation &op, llvm::function_ref<void(Value)> visit) {
    if (auto assign = dyn_cast<hlfir::AssignOp>(op))
      return visit(assign.getLhs());
    if (auto store = dyn_cast<fir::StoreOp>(op))
      return visit(store.getMemref());
    bool isReader = isa<fir::LoadOp, fir::DeclareOp, fir::BoxAddrOp, fir::ConvertOp>(op) || isPure(&op) ||
                    op.getDialect()->getNamespace() == hlfir::hlfirDialect::getDialectNamespace();
    if (isReader)
      return;
    for (Value operand : op.getOperands())
      if (isMemory(operand))
        visit(operand);
  }

  /// True for the variables of the loop, and what an iteration allocates.
  bool isPrivate(Value memory) {
    Value variable = memoryOf(memory);
    if (!whole->isAncestor(variable.getParentBlock()->getParentOp()))
      return isa_and_nonnull<fir::AllocaOp>(variable.getDefiningOp()) && !isDeclared(variable);
    return isa<BlockArgument>(variable) || isa<fir::AllocaOp, fir::AllocMemOp>(variable.getDefiningOp());
  }

  /// Temporaries have no declaration with a name of the program.
  static bool isDeclared(Value variable) { return variable.getDefiningOp()->hasAttr("uniq_name"); }

  bool isRead(Value changed) {
    return readsAnything ||
           llvm::any_of(reads, [&](Value read) { return mayOverlap(changed, read) && !areOwnElement(read, changed); });
  }

  /// True if both are the element of one array that belongs to the iteration.
  bool areOwnElement(Value read, Value changed) {
    hlfir::DesignateOp mine = ownElement(read), other = ownElement(changed);
    return mine && other && isSameInStatement(mine, other);
  }

  /// The part of the way to `memory` that selects an element by the variables of all loops; null if there is none.
  hlfir::DesignateOp ownElement(Value memory) {
    while (auto *op = memory.getDefiningOp()) {
      if (auto designate = dyn_cast<hlfir::DesignateOp>(op)) {
        if (isOwn(designate))
          return designate;
        memory = designate.getMemref();
      } else if (auto convert = dyn_cast<fir::ConvertOp>(op)) {
        memory = convert.getValue();
      } else {
        return {};
      }
    }
    return {};
  }

  bool isOwn(hlfir::DesignateOp designate) {
    llvm::SmallPtrSet<Value, 4> variables;
    bool isElement = llvm::none_of(designate.getIsTriplet(), [](bool is) { return is; });
    for (Value index : designate.getIndices()) {
      while (auto convert = index.getDefiningOp<fir::ConvertOp>())
        index = convert.getValue();
      auto load = index.getDefiningOp<fir::LoadOp>();
      Value variable = load ? memoryOf(load.getMemref()) : Value();
      if (variable && isIndexVariable(variable))
        variables.insert(variable);
    }
    return isElement && variables.size() == loop.getNumInductionVars();
  }

  bool isIndexVariable(Value variable) {
    return llvm::any_of(loop.getRegion().front().getOps<fir::StoreOp>(), [&](fir::StoreOp store) {
      return isIndexStore(store) && memoryOf(store.getMemref()) == variable;
    });
  }

  static bool isIndexStore(fir::StoreOp store) {
    Value value = store.getValue();
    while (auto convert = value.getDefiningOp<fir::ConvertOp>())
      value = convert.getValue();
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<fir::DoConcurrentLoopOp>(argument.getOwner()->getParentOp());
  }

  Value countIterations(OpBuilder &builder) {
    Location loc = loop.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), total;
    for (auto [lower, upper, step] : llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
      Value distance = arith::SubIOp::create(builder, loc, upper, lower);
      Value beyond = arith::AddIOp::create(builder, loc, distance, step);
      Value count = arith::DivSIOp::create(builder, loc, beyond, step);
      counts.push_back(arith::MaxSIOp::create(builder, loc, count, zero));
      total = total ? arith::MulIOp::create(builder, loc, total, counts.back()) : counts.back();
    }
    return total;
  }

  /// Where the value of the mask of an iteration of `of` is.
  Value placeIn(OpBuilder &builder, fir::DoConcurrentLoopOp of, Value values) {
    Location loc = loop.getLoc();
    Value place;
    for (size_t at = counts.size(); at-- > 0;) {
      Value distance = arith::SubIOp::create(builder, loc, of.getInductionVars()[at], of.getLowerBound()[at]);
      Value number = arith::DivSIOp::create(builder, loc, distance, of.getStep()[at]);
      if (place)
        number = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, place, counts[at]), number);
      place = number;
    }
    return fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(builder.getI8Type()), values, place);
  }

  void storeMask(fir::DoConcurrentLoopOp first, Value values) {
    fir::IfOp condition = maskOf(first);
    OpBuilder builder(condition);
    Value value = arith::ExtUIOp::create(builder, loop.getLoc(), builder.getI8Type(), condition.getCondition());
    fir::StoreOp::create(builder, loop.getLoc(), value, placeIn(builder, first, values));
    condition.erase();
  }

  /// The mask is not evaluated again.
  void eraseMask() {
    SmallVector<Operation *> operations;
    for (Operation &op : loop.getRegion().front())
      operations.push_back(&op);
    auto isKept = [&](Operation *op) {
      auto store = dyn_cast<fir::StoreOp>(op);
      return op == mask || !op->use_empty() || (store && isIndexStore(store));
    };
    for (Operation *op : llvm::reverse(operations))
      if (!isKept(op))
        op->erase();
  }

  fir::DoConcurrentLoopOp loop;
  fir::IfOp mask;
  fir::DoConcurrentOp whole;
  SmallVector<Value> reads;
  bool readsAnything = false;
  SmallVector<Value> counts; ///< iterations of each loop
};

struct EvaluateMasksFirstPass : cufort::cufx::impl::EvaluateMasksFirstBase<EvaluateMasksFirstPass> {
  void runOnOperation() override {
    SmallVector<fir::DoConcurrentLoopOp> loops;
    getOperation().walk([&](fir::DoConcurrentLoopOp loop) { loops.push_back(loop); });
    for (fir::DoConcurrentLoopOp loop : loops)
      if (fir::IfOp mask = maskOf(loop))
        if (MaskedLoop masked(loop, mask); masked.mayChangeMasks())
          masked.evaluateFirst();
  }
};

} // namespace
