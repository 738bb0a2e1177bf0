#include "codegen/RuntimeCalls/LowerAssign.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace cufort;

namespace {

/// Flang's entries that ours take the place of with the same arguments. Types that have components on the device may be
/// known when the program runs only.
constexpr std::pair<StringLiteral, StringLiteral> sameArguments[] = {
    {"_FortranAAssignPolymorphic", "cufortAssignPolymorphic"},
    {"_FortranAAllocatableAllocateSource", "cufortAllocatableAllocateSource"},
    {"_FortranAPointerAllocateSource", "cufortPointerAllocateSource"}};

StringRef renamed(fir::CallOp call) {
  StringRef name = cufx::calleeName(call);
  auto found = llvm::find_if(sameArguments, [&](auto &names) { return names.first == name; });
  return found == std::end(sameArguments) ? StringRef() : StringRef(found->second);
}

/// True if `call` assigns what only a device can read: the data of components, or of one that a structure constructor
/// fills in. Which component that is cannot be seen any more.
bool mayMoveDeviceData(fir::CallOp call) {
  Value to = cufx::beforeConversion(call.getArgs()[0]), from = cufx::beforeConversion(call.getArgs()[1]);
  if (isa<fir::ClassType>(from.getType()) || isa<fir::ClassType>(fir::unwrapRefType(to.getType())))
    return true;
  if (auto record = dyn_cast<fir::RecordType>(fir::getFortranElementType(from.getType())))
    return cufx::holdsDescriptors(record);
  return cufx::isHiddenFromHost(from) || (to.getDefiningOp<fir::CoordinateOp>() &&
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
      else if (!renamed(call).empty() && mayMoveDeviceData(call))
        rename(call);
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
  void rename(fir::CallOp call) {
    StringRef name = renamed(call);
    auto procedure = getOperation().lookupSymbol<func::FuncOp>(cufx::calleeName(call));
    if (!getOperation().lookupSymbol(name)) {
      auto ours = cast<func::FuncOp>(procedure->clone());
      ours.setName(name);
      getOperation().insert(procedure, ours);
    }
    call.setCalleeAttr(SymbolRefAttr::get(&getContext(), name));
  }

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
