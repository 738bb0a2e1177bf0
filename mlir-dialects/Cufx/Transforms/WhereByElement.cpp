#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"

using namespace mlir;
using namespace cufort::cufx;

//===-- Which elements are read ----------------------------------------------------------------------------------===//

WhereParts::WhereParts(hlfir::WhereOp where) {
  where->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto inner = dyn_cast<hlfir::WhereOp>(op); inner && !inner.getMaskRegion().empty())
      regions.push_back(&inner.getMaskRegion());
    else if (auto elsewhere = dyn_cast<hlfir::ElseWhereOp>(op); elsewhere && !elsewhere.getMaskRegion().empty())
      regions.push_back(&elsewhere.getMaskRegion());
    else if (auto assign = dyn_cast<hlfir::RegionAssignOp>(op)) {
      regions.append({&assign.getRhsRegion(), &assign.getLhsRegion()});
      targets.push_back(yieldedBy(assign.getLhsRegion()));
    }
  });
  for (Region *region : regions)
    read.push_back(yieldedBy(*region));
}

/// True if `op` can be done before the construct: what it makes is the same there, or made for each element.
static bool isEvaluatedForElementOrBefore(Operation &op) {
  return isa<hlfir::ElementalOp, hlfir::TransposeOp, hlfir::ReshapeOp, hlfir::CShiftOp, hlfir::EOShiftOp,
             hlfir::DestroyOp, hlfir::YieldOp, fir::LoadOp>(op) ||
         isMemoryEffectFree(&op);
}

bool cufort::cufx::readsScalarOf(Region &region, Value target) {
  return llvm::any_of(region.front().getOps<fir::LoadOp>(), [&](fir::LoadOp load) {
    return fir::isa_trivial(load.getType()) && mayOverlap(target, load.getMemref());
  });
}

/// True if an element of `target` may be read, or written as one of another target, for another element.
static bool isNeededElsewhere(Value target, const WhereParts &parts) {
  return llvm::any_of(parts.regions, [&](Region *region) { return readsScalarOf(*region, target); }) ||
         llvm::any_of(parts.read, [&](Value value) {
           return !fir::isa_trivial(value.getType()) && mayReadElsewhere(value, target);
         });
}

bool cufort::cufx::isForEachElement(hlfir::WhereOp where) {
  WhereParts parts(where);
  for (Region *region : parts.regions)
    if (!llvm::all_of(region->front(), isEvaluatedForElementOrBefore))
      return false;
  return llvm::none_of(parts.targets, [&](Value target) { return isNeededElsewhere(target, parts); });
}

//===-- One element ----------------------------------------------------------------------------------------------===//

WhereByElement::WhereByElement(hlfir::WhereOp where)
    : builder(where.getOperation(), fir::getKindMapping(where->getParentOfType<ModuleOp>())), where(where),
      loc(locationOf(where)), parts(where) {}

void WhereByElement::evaluateBefore() {
  for (auto [region, value] : llvm::zip(parts.regions, parts.read)) {
    cufort::cufx::evaluateBefore(*region, where);
    if (!isa<hlfir::RegionAssignOp>(region->getParentOp()) || region->getRegionNumber() == 0) {
      prepare(*region, value);
      continue;
    }
    arrays->prepare(builder, loc, value);
    targets.insert({region, value});
  }
}

void WhereByElement::assign(ValueRange subscripts) {
  if (where.getMaskRegion().empty())
    assignAll(where.getBody(), subscripts);
  else
    assignWhere(where.getMaskRegion(), where.getBody(), subscripts);
}

void WhereByElement::erase() {
  where.erase();
  eraseExpressions(parts.read);
}

void WhereByElement::assignWhere(Region &mask, Region &body, ValueRange subscripts) {
  Value truth = builder.createConvert(loc, builder.getI1Type(), element(mask, subscripts));
  hlfir::ElseWhereOp otherwise;
  for (auto elsewhere : body.front().getOps<hlfir::ElseWhereOp>())
    otherwise = elsewhere;
  if (!otherwise)
    return builder.genIfThen(loc, truth).genThen([&] { assignAll(body, subscripts); }).end();
  builder.genIfThenElse(loc, truth)
      .genThen([&] { assignAll(body, subscripts); })
      .genElse([&] { assignElsewhere(otherwise, subscripts); })
      .end();
}

void WhereByElement::assignElsewhere(hlfir::ElseWhereOp elsewhere, ValueRange subscripts) {
  if (elsewhere.getMaskRegion().empty())
    assignAll(elsewhere.getBody(), subscripts);
  else
    assignWhere(elsewhere.getMaskRegion(), elsewhere.getBody(), subscripts);
}

void WhereByElement::assignAll(Region &body, ValueRange subscripts) {
  for (Operation &op : body.front())
    if (auto assign = dyn_cast<hlfir::RegionAssignOp>(op))
      store(assign, subscripts);
    else if (auto inner = dyn_cast<hlfir::WhereOp>(op))
      assignWhere(inner.getMaskRegion(), inner.getBody(), subscripts);
}

void WhereByElement::store(hlfir::RegionAssignOp assign, ValueRange subscripts) {
  Value target = targets.at(&assign.getLhsRegion());
  Type type = hlfir::getFortranElementType(target.getType());
  Value value = builder.convertWithSemantics(loc, type, element(assign.getRhsRegion(), subscripts));
  fir::StoreOp::create(builder, loc, value, arrays->place(builder, loc, target, subscripts));
}
