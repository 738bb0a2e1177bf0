// In: hlfir.where { mask } do { region_assign expression to array, elsewhere ... } of host code.
//
// Out:
//
//   cuf.kernel<<<*, *>>> (%i : index) = ... {
//     fir.if %mask(%i) { fir.store %expression(%i) to %array(%i) } else { ... }
//   }

#include "mlir-dialects/Cufx/Transforms/WhereInOneKernel.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Which elements are read ----------------------------------------------------------------------------------===//

/// The masks, expressions and targets of a WHERE construct with all that is nested in it.
struct Parts {
  explicit Parts(hlfir::WhereOp where) {
    where->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto inner = dyn_cast<hlfir::WhereOp>(op))
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

  SmallVector<Region *> regions; ///< Each of them yields
  SmallVector<Value> read;       ///< what the regions yield: targets as well
  SmallVector<Value> targets;
};

/// True if `op` can be done before the construct: what it makes is the same there, or made in the kernel.
bool isEvaluatedInKernelOrBefore(Operation &op) {
  return isa<hlfir::ElementalOp, hlfir::TransposeOp, hlfir::ReshapeOp, hlfir::CShiftOp, hlfir::EOShiftOp,
             hlfir::DestroyOp, hlfir::YieldOp, fir::LoadOp>(op) ||
         isMemoryEffectFree(&op);
}

/// True if `region` reads a scalar that may be an element of `target`: it may be another one in each kernel.
bool readsScalarOf(Region &region, Value target) {
  return llvm::any_of(region.front().getOps<fir::LoadOp>(), [&](fir::LoadOp load) {
    return fir::isa_trivial(load.getType()) && mayOverlap(target, load.getMemref());
  });
}

/// True if an element of `target` may be read, or written as one of another target, for another element.
bool isNeededElsewhere(Value target, const Parts &parts) {
  return llvm::any_of(parts.regions, [&](Region *region) { return readsScalarOf(*region, target); }) ||
         llvm::any_of(parts.read, [&](Value value) {
           return !fir::isa_trivial(value.getType()) && mayReadElsewhere(value, target);
         });
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

class ElementKernel {
public:
  explicit ElementKernel(hlfir::WhereOp where)
      : builder(where.getOperation(), fir::getKindMapping(where->getParentOfType<ModuleOp>())), where(where),
        loc(locationOf(where)) {}

  void run() {
    Parts parts(where);
    StatementStream stream(builder, loc, parts.targets.front());
    for (auto [region, value] : llvm::zip(parts.regions, parts.read))
      prepare(*region, value);
    cuf::KernelOp kernel =
        createKernelOver(builder, loc, expressions.at(&where.getMaskRegion())->extents(), subscripts);
    assignWhere(where.getMaskRegion(), where.getBody());
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
    stream.end(builder);
    where.erase();
    eraseExpressions(parts.read);
  }

private:
  /// An array that is assigned to, and its lower bounds.
  struct Target {
    hlfir::Entity array;
    SmallVector<Value> lowerBounds;
  };

  void prepare(Region &region, Value value) {
    evaluateBefore(region, where);
    if (isa<hlfir::RegionAssignOp>(region.getParentOp()) && region.getRegionNumber() == 1) {
      hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{value});
      targets.insert({&region, Target{array, lowerBoundsOf(builder, loc, array)}});
    } else if (fir::isa_trivial(value.getType())) {
      scalars.insert({&region, value});
    } else {
      expressions[&region] = std::make_unique<DeviceExpression>(builder, loc, value);
    }
  }

  void assignWhere(Region &mask, Region &body) {
    Value truth = builder.createConvert(loc, builder.getI1Type(), expressions.at(&mask)->element(subscripts));
    hlfir::ElseWhereOp otherwise;
    for (auto elsewhere : body.front().getOps<hlfir::ElseWhereOp>())
      otherwise = elsewhere;
    if (!otherwise)
      return builder.genIfThen(loc, truth).genThen([&] { assignAll(body); }).end();
    builder.genIfThenElse(loc, truth)
        .genThen([&] { assignAll(body); })
        .genElse([&] { assignElsewhere(otherwise); })
        .end();
  }

  void assignElsewhere(hlfir::ElseWhereOp elsewhere) {
    if (elsewhere.getMaskRegion().empty())
      assignAll(elsewhere.getBody());
    else
      assignWhere(elsewhere.getMaskRegion(), elsewhere.getBody());
  }

  void assignAll(Region &body) {
    for (Operation &op : body.front())
      if (auto assign = dyn_cast<hlfir::RegionAssignOp>(op))
        store(assign);
      else if (auto inner = dyn_cast<hlfir::WhereOp>(op))
        assignWhere(inner.getMaskRegion(), inner.getBody());
  }

  void store(hlfir::RegionAssignOp assign) {
    const Target &target = targets.at(&assign.getLhsRegion());
    auto scalar = scalars.find(&assign.getRhsRegion());
    Value element = scalar != scalars.end() ? DeviceScalars().inKernel(builder, scalar->second)
                                            : expressions.at(&assign.getRhsRegion())->element(subscripts);
    element = builder.convertWithSemantics(loc, target.array.getFortranElementType(), element);
    fir::StoreOp::create(builder, loc, element,
                         placeInArray(builder, loc, target.array, target.lowerBounds, subscripts));
  }

  fir::FirOpBuilder builder;
  hlfir::WhereOp where;
  Location loc;
  SmallVector<Value> subscripts;
  llvm::DenseMap<Region *, std::unique_ptr<DeviceExpression>> expressions;
  llvm::DenseMap<Region *, Value> scalars;
  llvm::DenseMap<Region *, Target> targets;
};

} // namespace

bool cufort::cufx::isForEachElement(hlfir::WhereOp where) {
  Parts parts(where);
  for (Region *region : parts.regions)
    if (!llvm::all_of(region->front(), isEvaluatedInKernelOrBefore))
      return false;
  return llvm::none_of(parts.targets, [&](Value target) { return isNeededElsewhere(target, parts); });
}

void cufort::cufx::assignInOneKernel(hlfir::WhereOp where) { ElementKernel(where).run(); }
