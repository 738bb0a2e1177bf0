// In: hlfir.where { mask } do { region_assign expression to array, elsewhere ... } of device code, whose elements do
// not need each other.
//
// Out:
//
//   fir.do_loop %i = ... { fir.if %mask(%i) { fir.store %expression(%i) to %array(%i) } else { ... } }
//
// Flang keeps a mask that reads what is assigned to in memory, and goes through the elements for each assignment.

#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/HLFIR/HLFIRDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/ElementLoops.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_WHEREINLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Recognition ----------------------------------------------------------------------------------------------===//

/// True for an array, or an array expression that makes one element at a time, of numbers or logicals.
bool isArrayOfTrivials(Value value) {
  if (!value || !hlfir::isFortranEntity(value))
    return false;
  hlfir::Entity entity{value};
  if (!entity.isArray() || entity.isAssumedRank() || entity.isPolymorphic() ||
      !fir::isa_trivial(entity.getFortranElementType()))
    return false;
  if (!isa<hlfir::ExprType>(value.getType()))
    return true;
  auto elemental = value.getDefiningOp<hlfir::ElementalOp>();
  return elemental && isMadeWhereUsed(elemental) && !elemental.isOrdered();
}

/// True if `where` assigns numbers and logicals to arrays, and all that it evaluates can be evaluated by the element.
bool isOfElements(hlfir::WhereOp where) {
  bool isOther = false;
  where->walk([&](Operation *op) {
    auto assign = dyn_cast<hlfir::RegionAssignOp>(op);
    isOther |= isa<hlfir::ExactlyOnceOp>(op) || (assign && !assign.getUserDefinedAssignment().empty());
  });
  if (isOther)
    return false;
  WhereParts parts(where);
  return !parts.targets.empty() && llvm::all_of(parts.targets, isArrayOfTrivials) &&
         llvm::all_of(parts.read, [](Value value) {
           return value && (fir::isa_trivial(value.getType()) || isArrayOfTrivials(value));
         });
}

//===-- The loops ------------------------------------------------------------------------------------------------===//

class ElementLoop : WhereByElement {
public:
  explicit ElementLoop(hlfir::WhereOp where) : WhereByElement(where) {}

  void run() {
    evaluateBefore();
    Value shape = hlfir::genShape(loc, builder, hlfir::Entity{values.at(&where.getMaskRegion())});
    hlfir::LoopNest loops = hlfir::genLoopNest(loc, builder, shape, /*isUnordered=*/true);
    builder.setInsertionPointToStart(loops.body);
    assign(loops.oneBasedIndices);
    builder.setInsertionPointAfter(loops.outerOp);
    erase();
  }

private:
  void prepare(Region &region, Value value) override {
    values.insert({&region, hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{value})});
  }

  Value element(Region &region, ValueRange subscripts) override {
    Value value = values.at(&region);
    if (fir::isa_trivial(value.getType()))
      return value;
    auto elemental = value.getDefiningOp<hlfir::ElementalOp>();
    if (!elemental)
      return hlfir::loadElementAt(loc, builder, hlfir::Entity{value}, subscripts);
    IRMapping mapping;
    Value made = hlfir::inlineElementalOp(loc, builder, elemental, subscripts, mapping, isMadeWhereUsed);
    return hlfir::loadTrivialScalar(loc, builder, hlfir::Entity{made});
  }

  llvm::DenseMap<Region *, Value> values;
};

struct WhereInLoopsPass : cufort::cufx::impl::WhereInLoopsBase<WhereInLoopsPass> {
  void runOnOperation() override {
    SmallVector<hlfir::WhereOp> found;
    // Flang says it also of what belongs to an element, such as a round of an implied DO, and fails when it takes that
    // out.
    getOperation().walk([](hlfir::ElementalOp elements) { dissolveExactlyOnce(elements); });
    getOperation().walk<WalkOrder::PreOrder>([&](hlfir::WhereOp where) {
      // What stands in FORALL is done for each of its indices.
      if (!where->getParentOfType<hlfir::ForallOp>() && isInDeviceCode(where))
        found.push_back(where);
      return WalkResult::skip();
    });
    for (hlfir::WhereOp where : found)
      if (isOfElements(where) && isForEachElement(where))
        ElementLoop(where).run();
  }
};

} // namespace
