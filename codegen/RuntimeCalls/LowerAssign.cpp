#include "codegen/RuntimeCalls/LowerAssign.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace cufort;

namespace {

/// True if `call` assigns what only a device can read: the data of components, or of one that a structure constructor
/// fills in. Which component that is cannot be seen any more.
bool mayMoveDeviceData(fir::CallOp call) {
  Value to = cufx::beforeConversion(call.getArgs()[0]), from = cufx::beforeConversion(call.getArgs()[1]);
  if (auto record = dyn_cast<fir::RecordType>(fir::getFortranElementType(from.getType())))
    return cufx::holdsDescriptors(record);
  return cufx::isHiddenFromHost(from) ||
         (to.getDefiningOp<fir::CoordinateOp>() &&
          call->getParentOfType<ModuleOp>()->hasAttr(cufx::deviceComponentsAttribute));
}

struct LowerAssign : PassWrapper<LowerAssign, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAssign)
  StringRef getArgument() const override { return "cufx-lower-assign"; }

  void runOnOperation() override {
    SmallVector<fir::CallOp> found;
    getOperation().walk([&](fir::CallOp call) {
      if (replacement(call) && mayMoveDeviceData(call))
        found.push_back(call);
    });
    for (fir::CallOp call : found) {
      fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(getOperation()));
      func::FuncOp function = replacement(call)(call.getLoc(), builder);
      SmallVector<Value> arguments(call.getArgs().take_front(2));
      arguments[1] = codegen::descriptorAddress(builder, call.getLoc(), arguments[1]);
      codegen::callRuntime(builder, call.getLoc(), function, arguments);
      call.erase();
    }
  }

private:
  using Declare = func::FuncOp (*)(Location, fir::FirOpBuilder &);

  /// What declares our function that does what `call` asks Flang's runtime for; null if we have none.
  static Declare replacement(fir::CallOp call) {
    return llvm::StringSwitch<Declare>(cufx::calleeName(call))
        .Case("_FortranAAssign", declare<FirmkKey(cufortAssign)>)
        .Case("_FortranAAssignTemporary", declare<FirmkKey(cufortAssignTemporary)>)
        .Case("_FortranAPushArrayConstructorValue", declare<FirmkKey(cufortPushArrayConstructorValue)>)
        .Default(nullptr);
  }

  template <typename Key>
  static func::FuncOp declare(Location loc, fir::FirOpBuilder &builder) {
    return fir::runtime::getRuntimeFunc<Key>(loc, builder);
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerAssign() { return std::make_unique<LowerAssign>(); }
