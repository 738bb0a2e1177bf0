// In: hlfir.where of host code that assigns to device arrays.
//
//   hlfir.where { hlfir.yield %mask } do {
//     hlfir.region_assign { hlfir.yield %expression } to { hlfir.yield %array }
//     hlfir.elsewhere { hlfir.yield %other } do { ... }
//   }
//
// Out: one kernel if elements do not need each other (WhereInOneKernel.cpp). Else kernels in the order of the
// statements. The first one evaluates the mask into device memory, which the others read; one more does so for each
// further mask.
//
//   cuf.kernel<<<*, *>>> (%i : index) = ... { fir.if %control(%i) { ... fir.store %element to %array(%i) } }

#include "mlir-dialects/Cufx/Transforms/AssignWhere.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"
#include "mlir-dialects/Cufx/Transforms/WhereInOneKernel.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Recognition ----------------------------------------------------------------------------------------------===//

bool isByKernel(hlfir::RegionAssignOp assign) {
  Value target = yieldedBy(assign.getLhsRegion()), value = yieldedBy(assign.getRhsRegion());
  if (!target || !value || !assign.getUserDefinedAssignment().empty() || !hlfir::Entity{target}.isArray())
    return false;
  bool isKnown = fir::isa_trivial(value.getType()) || DeviceExpression::isOne(value);
  return isKnown && isHiddenFromHost(target) && DeviceExpression::isOne(target) &&
         dataAttribute(target) != cuf::DataAttribute::Constant;
}

bool isByKernels(Region &mask, Region &body) {
  Value condition = mask.empty() ? Value() : yieldedBy(mask);
  if (!mask.empty() && (!condition || !DeviceExpression::isOne(condition)))
    return false;
  return llvm::all_of(body.front(), [](Operation &op) {
    if (auto assign = dyn_cast<hlfir::RegionAssignOp>(op))
      return isByKernel(assign);
    if (auto where = dyn_cast<hlfir::WhereOp>(op))
      return isByKernels(where.getMaskRegion(), where.getBody());
    if (auto elsewhere = dyn_cast<hlfir::ElseWhereOp>(op))
      return isByKernels(elsewhere.getMaskRegion(), elsewhere.getBody());
    return isa<fir::FirEndOp>(op);
  });
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

class WhereKernels {
public:
  explicit WhereKernels(hlfir::WhereOp where)
      : builder(where.getOperation(), fir::getKindMapping(where->getParentOfType<ModuleOp>())), where(where),
        loc(locationOf(where)) {}

  void run() {
    StatementStream stream(builder, loc, firstTarget());
    assignUnder(where.getMaskRegion(), where.getBody(), {});
    stream.end(builder);
    where.erase();
  }

private:
  /// What the first assignment writes: masks are for all assignments, so that all are in one stream.
  Value firstTarget() {
    Value target;
    where.walk([&](hlfir::RegionAssignOp assign) {
      target = yieldedBy(assign.getLhsRegion());
      return WalkResult::interrupt();
    });
    return target;
  }

  /// A mask in device memory; without an array it is true everywhere.
  using Mask = hlfir::DeclareOp;

  /// The element of `mask` with these subscripts as one bit.
  Value truthAt(Mask mask, ValueRange subscripts) {
    SmallVector<Value> lowerBounds(subscripts.size(), builder.createIntegerConstant(loc, builder.getIndexType(), 1));
    Value place = placeInArray(builder, loc, hlfir::Entity{mask.getBase()}, lowerBounds, subscripts);
    return builder.createConvert(loc, builder.getI1Type(), fir::LoadOp::create(builder, loc, place));
  }

  /// A new mask. `truth` makes its element, as one bit, in a kernel.
  template <typename Truth>
  Mask createMask(Type element, ValueRange extents, Truth truth) {
    Mask mask = createDeviceTemporary(builder, loc, element, extents);
    SmallVector<Value> subscripts, lowerBounds(extents.size());
    std::fill(lowerBounds.begin(), lowerBounds.end(), builder.createIntegerConstant(loc, builder.getIndexType(), 1));
    cuf::KernelOp kernel = createKernelOver(builder, loc, extents, subscripts);
    Value value = builder.createConvert(loc, element, truth(subscripts));
    Value place = placeInArray(builder, loc, hlfir::Entity{mask.getBase()}, lowerBounds, subscripts);
    fir::StoreOp::create(builder, loc, value, place);
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
    return mask;
  }

  /// Where `outer` and the mask of a statement are true.
  Mask control(Region &region, Mask outer) {
    Value expression = evaluateBefore(region, where);
    DeviceExpression mask(builder, loc, expression);
    Mask result = createMask(mask.elementType(), mask.extents(), [&](ValueRange subscripts) {
      Value truth = builder.createConvert(loc, builder.getI1Type(), mask.element(subscripts));
      return outer ? arith::AndIOp::create(builder, loc, truth, truthAt(outer, subscripts)).getResult() : truth;
    });
    eraseExpression(expression);
    return result;
  }

  /// Where `outer` is true and `control` is not.
  Mask pending(Mask outer, Mask control) {
    SmallVector<Value> extents = hlfir::getIndexExtents(loc, builder, control.getShape());
    return createMask(hlfir::getFortranElementType(control.getType(0)), extents, [&](ValueRange subscripts) {
      Value one = builder.createIntegerConstant(loc, builder.getI1Type(), 1);
      Value truth = arith::XOrIOp::create(builder, loc, truthAt(control, subscripts), one);
      return outer ? arith::AndIOp::create(builder, loc, truth, truthAt(outer, subscripts)).getResult() : truth;
    });
  }

  void assignUnder(Region &maskRegion, Region &body, Mask outer) {
    Mask mask = maskRegion.empty() ? outer : control(maskRegion, outer);
    for (Operation &op : llvm::make_early_inc_range(body.front())) {
      if (auto assign = dyn_cast<hlfir::RegionAssignOp>(op))
        assignByKernel(assign, mask);
      else if (auto inner = dyn_cast<hlfir::WhereOp>(op))
        assignUnder(inner.getMaskRegion(), inner.getBody(), mask);
      else if (auto elsewhere = dyn_cast<hlfir::ElseWhereOp>(op))
        assignElsewhere(elsewhere, outer, mask);
    }
    if (!maskRegion.empty())
      freeDeviceTemporary(builder, mask);
  }

  void assignElsewhere(hlfir::ElseWhereOp elsewhere, Mask outer, Mask control) {
    Mask rest = pending(outer, control);
    assignUnder(elsewhere.getMaskRegion(), elsewhere.getBody(), rest);
    freeDeviceTemporary(builder, rest);
  }

  void assignByKernel(hlfir::RegionAssignOp assign, Mask mask) {
    Value value = evaluateBefore(assign.getRhsRegion(), where);
    hlfir::Entity target{evaluateBefore(assign.getLhsRegion(), where)};
    if (fir::isa_trivial(value.getType())) {
      // The host copies an element of the target before.
      bool isOwn = isReadFrom(value, target);
      ArraysInKernel arrays;
      storeUnder(mask, target, arrays,
                 [&](ValueRange) { return isOwn ? value : DeviceScalars().inKernel(builder, value); });
      return eraseExpression(value);
    }
    DeviceExpression expression(builder, loc, value);
    if (!mayReadElsewhere(value, target)) {
      storeUnder(mask, target, *expression.arraysInKernel(),
                 [&](ValueRange subscripts) { return expression.element(subscripts); });
      return eraseExpression(value);
    }
    hlfir::DeclareOp aside = createDeviceTemporary(builder, loc, expression.elementType(), expression.extents());
    evaluateInto(builder, loc, expression, hlfir::Entity{aside.getBase()});
    DeviceExpression evaluated(builder, loc, aside.getBase());
    storeUnder(mask, target, *evaluated.arraysInKernel(),
               [&](ValueRange subscripts) { return evaluated.element(subscripts); });
    freeDeviceTemporary(builder, aside);
    eraseExpression(value);
  }

  /// A kernel that gives each element of `target` the value that `element` makes, where `mask` is true.
  template <typename Element>
  void storeUnder(Mask mask, hlfir::Entity target, ArraysInKernel &arrays, Element element) {
    hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, target);
    arrays.prepare(builder, loc, array);
    SmallVector<Value> subscripts, extents = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, array));
    cuf::KernelOp kernel = createKernelOver(builder, loc, extents, subscripts);
    builder.genIfThen(loc, truthAt(mask, subscripts))
        .genThen([&] {
          Value value = builder.convertWithSemantics(loc, array.getFortranElementType(), element(subscripts));
          fir::StoreOp::create(builder, loc, value, arrays.place(builder, loc, array, subscripts));
        })
        .end();
    fir::FirEndOp::create(builder, loc);
    builder.setInsertionPointAfter(kernel);
  }

  fir::FirOpBuilder builder;
  hlfir::WhereOp where;
  Location loc;
};

} // namespace

bool cufort::cufx::isOfDeviceArrays(hlfir::WhereOp where) {
  // What stands in FORALL is done for each of its indices.
  return !where->getParentOfType<hlfir::ForallOp>() && !isInDeviceCode(where) &&
         isByKernels(where.getMaskRegion(), where.getBody());
}

void cufort::cufx::assignWhere(ModuleOp module) {
  SmallVector<hlfir::WhereOp> found;
  module.walk<WalkOrder::PreOrder>([&](hlfir::WhereOp where) {
    if (isOfDeviceArrays(where))
      found.push_back(where);
    return WalkResult::skip();
  });
  for (hlfir::WhereOp where : found) {
    dissolveExactlyOnce(where);
    if (isForEachElement(where))
      assignInOneKernel(where);
    else
      WhereKernels(where).run();
  }
}
