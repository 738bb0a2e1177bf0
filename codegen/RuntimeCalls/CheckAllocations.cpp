// In:  %memory = fir.allocmem {uniq_name = "….alloc"}        %memory = fir.box_addr(fir.load %variable)
//      fir.store (fir.embox %memory) to %variable             fir.freemem %memory
//
// Out: the same, with a call of cufortAllocationError under the condition that it cannot be done.

#include "codegen/RuntimeCalls/CheckAllocations.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace cufort;

namespace {

/// True for the memory that an ALLOCATE statement takes.
bool isOfStatement(fir::AllocMemOp allocation) {
  auto name = allocation.getUniqName();
  return name && !name->starts_with(".") && name->ends_with(".alloc");
}

/// The descriptor that `memory` becomes part of, or null.
Value variableFor(Value memory) {
  for (Operation *user : memory.getUsers())
    if (isa<fir::EmboxOp, fir::ConvertOp>(user)) {
      if (Value found = variableFor(user->getResult(0)))
        return found;
    } else if (auto store = dyn_cast<fir::StoreOp>(user)) {
      if (fir::isBoxAddress(store.getMemref().getType()))
        return store.getMemref();
    }
  return {};
}

/// The descriptor whose memory `release` gives back, or null.
Value variableOf(fir::FreeMemOp release) {
  auto address = release.getHeapref().getDefiningOp<fir::BoxAddrOp>();
  auto load = address ? address.getVal().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
  return load ? load.getMemref() : Value();
}

class Check {
public:
  Check(Operation *statement, Value variable)
      : builder(statement, fir::getKindMapping(statement->getParentOfType<ModuleOp>())), loc(statement->getLoc()),
        variable(variable) {}

  void beforeAllocation() {
    Value memory = fir::BoxAddrOp::create(builder, loc, fir::LoadOp::create(builder, loc, variable));
    failIf(builder.genIsNotNullAddr(loc, memory), CufortAlreadyAllocated);
  }

  void afterAllocation(fir::AllocMemOp allocation) {
    builder.setInsertionPointAfter(allocation);
    failIf(builder.genIsNullAddr(loc, allocation), CufortNoMemory);
  }

  void beforeRelease(Value memory) { failIf(builder.genIsNullAddr(loc, memory), CufortNotAllocated); }

private:
  void failIf(Value condition, CufortAllocationFailure failure) {
    auto fails = fir::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(&fails.getThenRegion().front());
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortAllocationError)>(loc, builder);
    codegen::callRuntime(builder, loc, function,
                         {codegen::runtimeConstant(builder, loc, failure),
                          codegen::runtimeText(builder, loc, cufx::variableName(variable))});
    builder.setInsertionPointAfter(fails);
  }

  fir::FirOpBuilder builder;
  Location loc;
  Value variable;
};

struct CheckAllocations : PassWrapper<CheckAllocations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckAllocations)
  StringRef getArgument() const override { return "cufx-check-allocations"; }

  void runOnOperation() override {
    SmallVector<Operation *> found;
    for (auto procedure : getOperation().getOps<func::FuncOp>())
      procedure.walk([&](Operation *op) {
        if (isa<fir::AllocMemOp, fir::FreeMemOp>(op))
          found.push_back(op);
      });
    for (Operation *op : found)
      if (auto allocation = dyn_cast<fir::AllocMemOp>(op)) {
        if (isOfStatement(allocation))
          checkAllocation(allocation);
      } else if (Value variable = variableOf(cast<fir::FreeMemOp>(op))) {
        Check(op, variable).beforeRelease(cast<fir::FreeMemOp>(op).getHeapref());
      }
  }

private:
  static void checkAllocation(fir::AllocMemOp allocation) {
    Value variable = variableFor(allocation);
    if (!variable)
      return;
    Check check(allocation, variable);
    // Pointers may be associated with something else.
    auto box = cast<fir::BaseBoxType>(fir::unwrapRefType(variable.getType()));
    if (isa<fir::HeapType>(box.getEleTy()))
      check.beforeAllocation();
    check.afterAllocation(allocation);
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createCheckAllocations() { return std::make_unique<CheckAllocations>(); }
