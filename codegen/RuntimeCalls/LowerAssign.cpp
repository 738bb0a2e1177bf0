#include "codegen/RuntimeCalls/LowerAssign.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace cufort;

namespace {

struct LowerAssign : PassWrapper<LowerAssign, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAssign)
  StringRef getArgument() const override { return "cufx-lower-assign"; }

  void runOnOperation() override {
    SmallVector<fir::CallOp> found;
    getOperation().walk([&](fir::CallOp call) {
      if (cufx::calleeName(call) != "_FortranAAssign")
        return;
      Value from = cufx::beforeConversion(call.getArgs()[1]);
      auto record = dyn_cast<fir::RecordType>(fir::getFortranElementType(from.getType()));
      if (record && cufx::holdsDescriptors(record))
        found.push_back(call);
    });
    for (fir::CallOp call : found) {
      fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(getOperation()));
      func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortAssign)>(call.getLoc(), builder);
      SmallVector<Value> arguments(call.getArgs());
      arguments[1] = codegen::descriptorAddress(builder, call.getLoc(), arguments[1]);
      codegen::callRuntime(builder, call.getLoc(), function, arguments);
      call.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerAssign() { return std::make_unique<LowerAssign>(); }
