// Copy-in and copy-out of sections of device data.

#include "codegen/RuntimeCalls/LowerCopyInOut.h"
#include "codegen/RuntimeCalls/MemoryKind.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort;

namespace {

struct LowerCopyInOut : PassWrapper<LowerCopyInOut, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCopyInOut)
  StringRef getArgument() const override { return "cufx-lower-copy-in-out"; }

  void runOnOperation() override {
    SmallVector<fir::CallOp> ins, outs;
    llvm::SetVector<Value> temporaries;
    getOperation().walk([&](fir::CallOp call) {
      StringRef name = cufx::calleeName(call);
      if (name == "_FortranACopyInAssign" && cufx::isDeviceAddressable(call.getArgs()[1])) {
        ins.push_back(call);
        temporaries.insert(cufx::beforeConversion(call.getArgs()[0]));
      } else if (name == "_FortranACopyOutAssign") {
        outs.push_back(call);
      }
    });
    for (fir::CallOp call : outs)
      if (temporaries.contains(cufx::beforeConversion(call.getArgs()[1])))
        lowerCopyOut(call);
    for (fir::CallOp call : ins)
      lowerCopyIn(call);
  }

private:
  void lowerCopyIn(fir::CallOp call) {
    fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(getOperation()));
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortCopyIn)>(call.getLoc(), builder);
    auto args = call.getArgs();
    Value address = codegen::descriptorAddress(builder, call.getLoc(), args[1]);
    Value kind = builder.createIntegerConstant(call.getLoc(), builder.getI32Type(),
                                               codegen::memoryKind(*cufx::dataAttribute(args[1])));
    codegen::callRuntime(builder, call.getLoc(), function, {args[0], address, kind, args[2], args[3]});
    call.erase();
  }

  void lowerCopyOut(fir::CallOp call) {
    fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(getOperation()));
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortCopyOut)>(call.getLoc(), builder);
    codegen::callRuntime(builder, call.getLoc(), function, SmallVector<Value>(call.getArgs()));
    call.erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerCopyInOut() { return std::make_unique<LowerCopyInOut>(); }
