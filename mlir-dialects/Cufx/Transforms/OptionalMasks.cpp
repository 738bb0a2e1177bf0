// In:  %mask = arith.select %allocated, %loaded, %absent; %x = hlfir.sum %array mask %mask
// Out: %x = fir.if %allocated { hlfir.sum %array mask %loaded } else { hlfir.sum %array }

#include "mlir-dialects/Cufx/Transforms/OptionalMasks.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The mask of `op`, or null.
MutableOperandRange maskOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, MutableOperandRange>(op)
      .Case<hlfir::SumOp, hlfir::ProductOp, hlfir::MaxvalOp, hlfir::MinvalOp, hlfir::MaxlocOp, hlfir::MinlocOp>(
          [](auto reduction) { return reduction.getMaskMutable(); })
      .Default([](Operation *other) { return MutableOperandRange(other, 0, 0); });
}

/// What chooses between `mask` and none, if it is an array that kernels read.
arith::SelectOp choiceOf(Value mask) {
  auto choice = mask.getDefiningOp<arith::SelectOp>();
  if (!choice || !choice.getFalseValue().getDefiningOp<fir::AbsentOp>())
    return {};
  Value array = choice.getTrueValue();
  return isHiddenFromHost(array) || isSharedWithHost(array) ? choice : arith::SelectOp();
}

void takeMask(Operation *op, arith::SelectOp choice, ModuleOp module) {
  if (isa<hlfir::ExprType>(op->getResult(0).getType()))
    return maskOf(op).assign(choice.getTrueValue());
  Location loc = op->getLoc();
  fir::FirOpBuilder builder(op, fir::getKindMapping(module));
  auto reduce = [&](ValueRange mask) {
    Operation *reduction = builder.clone(*op);
    maskOf(reduction).assign(mask);
    fir::ResultOp::create(builder, loc, reduction->getResults());
  };
  auto results = builder.genIfOp(loc, op->getResultTypes(), choice.getCondition(), /*withElseRegion=*/true)
                     .genThen([&] { reduce(choice.getTrueValue()); })
                     .genElse([&] { reduce({}); })
                     .getResults();
  op->replaceAllUsesWith(results);
  op->erase();
}

} // namespace

void cufort::cufx::takeMasksAsArrays(ModuleOp module) {
  SmallVector<std::pair<Operation *, arith::SelectOp>> found;
  module.walk([&](Operation *op) {
    MutableOperandRange mask = maskOf(op);
    if (isInDeviceCode(op) || mask.empty())
      return;
    if (arith::SelectOp choice = choiceOf(mask[0].get()))
      found.push_back({op, choice});
  });
  for (auto [op, choice] : found)
    takeMask(op, choice, module);
}
