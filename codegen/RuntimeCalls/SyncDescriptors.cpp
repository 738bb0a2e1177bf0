// In: FIR in which host code stores a descriptor into a dummy device pointer, or moves an allocation. Out: afterwards
//
//   fir.call @_FortranACUFSyncGlobalDescriptor(%descriptor)
//
// which does nothing for other descriptors. Where the code names the module variable itself, Flang has done it.

#include "codegen/RuntimeCalls/SyncDescriptors.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Runtime/CUDA/descriptor.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort;
using namespace Fortran::runtime::cuda;

namespace {

/// True for a dummy argument with the device attribute, which is a descriptor.
bool isDeviceDummy(Value variable) {
  auto declare = variable.getDefiningOp<fir::DeclareOp>();
  return declare && isa<BlockArgument>(declare.getMemref()) && fir::isBoxAddress(variable.getType()) &&
         cufx::isDeviceOnly(variable);
}

void syncAfter(Operation *op, Value descriptor) {
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  builder.setInsertionPointAfter(op);
  func::FuncOp function = fir::runtime::getRuntimeFunc<mkRTKey(CUFSyncGlobalDescriptor)>(op->getLoc(), builder);
  codegen::callRuntime(builder, op->getLoc(), function, {descriptor});
}

struct SyncDescriptors : PassWrapper<SyncDescriptors, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SyncDescriptors)
  StringRef getArgument() const override { return "cufx-sync-descriptors"; }

  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Value>> changes;
    getOperation().walk([&](Operation *op) {
      if (cufx::isInDeviceCode(op))
        return;
      if (auto store = dyn_cast<fir::StoreOp>(op); store && isDeviceDummy(store.getMemref()))
        changes.emplace_back(op, store.getMemref());
      if (auto call = dyn_cast<fir::CallOp>(op); call && cufx::calleeName(call) == "_FortranAMoveAlloc")
        for (Value descriptor : {cufx::beforeConversion(call.getArgs()[0]), cufx::beforeConversion(call.getArgs()[1])})
          if (cufx::isDeviceOnly(descriptor))
            changes.emplace_back(op, descriptor);
    });
    for (auto [op, descriptor] : changes)
      syncAfter(op, descriptor);
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createSyncDescriptors() { return std::make_unique<SyncDescriptors>(); }
