#include "mlir-dialects/Cufx/Transforms/ReferenceCopies.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace {

/// Copies what one reference needs to a place before `outermost`.
class ReferenceCopier {
public:
  ReferenceCopier(Operation *outermost, hlfir::DesignateOp designate)
      : outermost(outermost), designate(designate), loc(designate.getLoc()),
        builder(outermost, fir::getKindMapping(outermost->getParentOfType<ModuleOp>())) {
    unsigned assignments = 0;
    outermost->walk([&](hlfir::RegionAssignOp) { ++assignments; });
    readsArrays = isa<hlfir::ForallOp>(outermost) && assignments == 1;
  }

  hlfir::DesignateOp copy() {
    SmallVector<Operation *> around;
    for (Operation *op = designate->getParentOp(); op != outermost->getParentOp(); op = op->getParentOp())
      around.insert(around.begin(), op);
    for (Operation *op : around)
      if (!enter(op))
        return {};
    Value result = copyOf(designate.getResult());
    return result ? result.getDefiningOp<hlfir::DesignateOp>() : hlfir::DesignateOp();
  }

private:
  bool contains(Region &region) const { return region.isAncestor(designate->getParentRegion()); }

  static Value yielded(Region &region) { return cast<hlfir::YieldOp>(region.front().getTerminator()).getEntity(); }

  /// Goes on in a loop of its own for a FORALL around the reference, and in a branch for a mask of FORALL.
  bool enter(Operation *op) {
    if (auto forall = dyn_cast<hlfir::ForallOp>(op); forall && contains(forall.getBody()))
      return enterLoop(forall);
    auto mask = dyn_cast<hlfir::ForallMaskOp>(op);
    if (!mask || !contains(mask.getBody()))
      return true;
    Value condition = copyOf(yielded(mask.getMaskRegion()));
    if (!condition)
      return false;
    condition = builder.createConvert(loc, builder.getI1Type(), condition);
    builder.setInsertionPointToStart(
        &fir::IfOp::create(builder, loc, condition, /*withElseRegion=*/false).getThenRegion().front());
    return true;
  }

  bool enterLoop(hlfir::ForallOp forall) {
    Type index = builder.getIndexType();
    Value first = copyOf(yielded(forall.getLbRegion())), last = copyOf(yielded(forall.getUbRegion()));
    Value step = forall.getStepRegion().empty() ? builder.createIntegerConstant(loc, index, 1)
                                                : copyOf(yielded(forall.getStepRegion()));
    if (!first || !last || !step)
      return false;
    auto convert = [&](Value value) { return builder.createConvert(loc, index, value); };
    auto loop = fir::DoLoopOp::create(builder, loc, convert(first), convert(last), convert(step));
    builder.setInsertionPointToStart(loop.getBody());
    Value ofStatement = forall.getForallIndexValue();
    copies.map(ofStatement, builder.createConvert(loc, ofStatement.getType(), loop.getInductionVar()));
    return true;
  }

  /// A copy of `value` where the builder stands; `value` itself if it is known there, or null.
  Value copyOf(Value value) {
    Operation *op = value.getDefiningOp();
    bool isInside = outermost->isAncestor(op ? op : value.getParentBlock()->getParentOp());
    if (copies.contains(value) || !isInside)
      return copies.lookupOrDefault(value);
    auto load = dyn_cast_or_null<fir::LoadOp>(op);
    if (auto index = load ? load.getMemref().getDefiningOp<hlfir::ForallIndexOp>() : hlfir::ForallIndexOp()) {
      copies.map(value, builder.createConvert(loc, load.getType(), copyOf(index.getIndex())));
      return copies.lookup(value);
    }
    if (!op || op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || (load && isUnchanged(load))))
      return {};
    for (Value operand : op->getOperands())
      if (!copyOf(operand))
        return {};
    builder.clone(*op, copies);
    return copies.lookup(value);
  }

  /// WHERE does not change scalar variables. What a FORALL reads before its only assignment nobody has changed.
  bool isUnchanged(fir::LoadOp load) const { return readsArrays || load.getMemref().getDefiningOp<hlfir::DeclareOp>(); }

  Operation *outermost;
  hlfir::DesignateOp designate;
  Location loc;
  fir::FirOpBuilder builder;
  IRMapping copies;
  bool readsArrays;
};

} // namespace

hlfir::DesignateOp cufort::cufx::copyBeforeAssignment(hlfir::DesignateOp designate) {
  Operation *outermost = nullptr;
  for (Operation *op = designate->getParentOp(); op; op = op->getParentOp())
    if (isa<hlfir::WhereOp, hlfir::ForallOp>(op))
      outermost = op;
  return outermost ? ReferenceCopier(outermost, designate).copy() : designate;
}
