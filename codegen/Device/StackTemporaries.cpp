// In:
//
//   %0 = fir.allocmem !fir.array<?xf32>, %c4 {bindc_name = ".tmp.where"}
//   ...
//   fir.freemem %1      (%1 is %0 after declarations and conversions, and in the same block)
//
// Out: a fir.alloca at the start of the function. In a loop each round has the same place, because the temporary of the
// round before has been freed.

#include "codegen/Device/StackTemporaries.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

/// Of one temporary. More would cost more local memory on a GPU than the heap has.
constexpr uint64_t maxBytes = 4096;

/// The type of the temporary with all its extents; null if one is not known.
fir::SequenceType knownType(fir::AllocMemOp allocation) {
  auto type = dyn_cast<fir::SequenceType>(allocation.getInType());
  if (!type || !allocation.getTypeparams().empty())
    return {};
  SmallVector<int64_t> extents(type.getShape());
  auto operand = allocation.getShape().begin();
  for (int64_t &extent : extents) {
    if (extent != fir::SequenceType::getUnknownExtent())
      continue;
    auto constant = fir::getIntIfConstant(*operand++);
    if (!constant || *constant < 0)
      return {};
    extent = *constant;
  }
  return fir::SequenceType::get(extents, type.getEleTy());
}

/// The operations that free what `value` points to, through other names of it.
void collectFrees(Value value, SmallVectorImpl<fir::FreeMemOp> &frees) {
  for (Operation *user : value.getUsers()) {
    if (auto free = dyn_cast<fir::FreeMemOp>(user))
      frees.push_back(free);
    else if (isa<fir::ConvertOp, fir::DeclareOp, fir::EmboxOp, fir::ReboxOp, fir::BoxAddrOp>(user))
      collectFrees(user->getResult(0), frees);
  }
}

struct StackTemporaries : PassWrapper<StackTemporaries, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StackTemporaries)

  StringRef getArgument() const override { return "cufx-stack-temporaries"; }
  StringRef getDescription() const override { return "put small temporary arrays on the stack"; }

  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    fir::KindMapping kinds = fir::getKindMapping(module);
    getOperation().walk([&](fir::AllocMemOp allocation) {
      // What the program allocates has a name of its own.
      if (!allocation.getBindcName().value_or("").starts_with(".tmp"))
        return;
      fir::SequenceType type = knownType(allocation);
      auto size = type ? fir::getTypeSizeAndAlignment(allocation.getLoc(), type, *layout, kinds) : std::nullopt;
      if (size && size->first <= maxBytes)
        moveToStack(allocation, type);
    });
  }

private:
  void moveToStack(fir::AllocMemOp allocation, fir::SequenceType type) {
    SmallVector<fir::FreeMemOp> frees;
    collectFrees(allocation, frees);
    if (frees.size() != 1 || frees.front()->getBlock() != allocation->getBlock())
      return;
    OpBuilder atStart = OpBuilder::atBlockBegin(&getOperation().front());
    Value place = fir::AllocaOp::create(atStart, allocation.getLoc(), type, allocation.getBindcName().value_or(""));
    OpBuilder builder(allocation);
    Value memory = fir::ConvertOp::create(builder, allocation.getLoc(), allocation.getType(), place);
    allocation.replaceAllUsesWith(memory);
    allocation.erase();
    frees.front().erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createStackTemporaries() { return std::make_unique<StackTemporaries>(); }
