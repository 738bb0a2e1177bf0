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

/// Those that keep the values of WHERE and FORALL constructs.
constexpr std::pair<StringLiteral, StringLiteral> valueStacks[] = {
    {"_FortranACreateValueStack", "cufortCreateValueStack"},
    {"_FortranAPushValue", "cufortPushValue"},
    {"_FortranAValueAt", "cufortValueAt"},
    {"_FortranADestroyValueStack", "cufortDestroyValueStack"}};

StringRef renamed(fir::CallOp call, ArrayRef<std::pair<StringLiteral, StringLiteral>> entries) {
  StringRef name = cufx::calleeName(call);
  auto found = llvm::find_if(entries, [&](auto &names) { return names.first == name; });
  return found == entries.end() ? StringRef() : StringRef(found->second);
}

/// True if `call` assigns what only a device can read: the data of components, or of one that a structure constructor
/// fills in. Which component that is cannot be seen any more.
bool mayMoveDeviceData(fir::CallOp call) {
  Value to = cufx::beforeConversion(call.getArgs()[0]), from = cufx::beforeConversion(call.getArgs()[1]);
  if (isa<fir::ClassType>(from.getType()) || isa<fir::ClassType>(fir::unwrapRefType(to.getType())))
    return true;
  auto record = dyn_cast<fir::RecordType>(fir::getFortranElementType(from.getType()));
  if (record && cufx::holdsDescriptors(record))
    return true;
  return cufx::isHiddenFromHost(from) || (to.getDefiningOp<fir::CoordinateOp>() &&
                                          call->getParentOfType<ModuleOp>()->hasAttr(cufx::deviceComponentsAttribute));
}

bool keepsRecord(fir::CallOp call) { return cufx::calleeName(call) == "_FortranAPushValue" && mayMoveDeviceData(call); }

struct LowerAssign : PassWrapper<LowerAssign, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAssign)
  StringRef getArgument() const override { return "cufx-lower-assign"; }

  void runOnOperation() override {
    SmallVector<fir::CallOp> found, ofStacks;
    bool keepsRecords = false;
    getOperation().walk([&](fir::CallOp call) {
      keepsRecords |= keepsRecord(call);
      if (!renamed(call, valueStacks).empty())
        ofStacks.push_back(call);
      else if (replacement(call) && mayMoveDeviceData(call))
        found.push_back(call);
      else if (StringRef name = renamed(call, sameArguments); !name.empty() && mayMoveDeviceData(call))
        rename(call, name);
    });
    // All of them in a module or none: our stacks take values of any type, and Flang's entries know nothing of them.
    if (keepsRecords)
      for (fir::CallOp call : ofStacks)
        rename(call, renamed(call, valueStacks));
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
  void rename(fir::CallOp call, StringRef name) {
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
