#include "codegen/RuntimeCalls/AllocateInEachDevice.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/Transforms/EachDevice.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace {

struct AllocateInEachDevice : PassWrapper<AllocateInEachDevice, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateInEachDevice)
  StringRef getArgument() const override { return "cufx-allocate-in-each-device"; }

  void runOnOperation() override {
    llvm::StringMap<fir::GlobalOp> variables;
    for (auto global : getOperation().getOps<fir::GlobalOp>())
      if (cufort::cufx::isAllocatedInEachDevice(global))
        variables[global.getSymName()] = global;
    if (variables.empty())
      return;
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    getOperation().walk([&](fir::AddrOfOp address) {
      auto found = variables.find(address.getSymbol().getLeafReference());
      if (found != variables.end())
        ask(address, found->second.getType(), *layout);
    });
    for (auto &variable : variables)
      keepName(variable.second);
  }

private:
  void ask(fir::AddrOfOp address, Type type, const DataLayout &layout) {
    fir::FirOpBuilder builder(address, fir::getKindMapping(getOperation()));
    Location loc = address->hasOneUse() ? address->user_begin()->getLoc() : address.getLoc();
    Value name = fir::AddrOfOp::create(builder, loc, fir::ReferenceType::get(builder.getI8Type()), address.getSymbol());
    Value bytes = cufort::codegen::sizeInBytes(builder, loc, layout, type, {}, {});
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMemInDevice)>(loc, builder);
    Value memory = cufort::codegen::callRuntime(builder, loc, function, {name, bytes});
    address.getResult().replaceAllUsesWith(builder.createConvert(loc, address.getType(), memory));
    address.erase();
  }

  /// Ends as a byte of the host: with an attribute of CUDA, Flang would look for the variable on the device.
  void keepName(fir::GlobalOp variable) {
    OpBuilder builder(variable);
    Type byte = builder.getI8Type();
    fir::GlobalOp::create(builder, variable.getLoc(), variable.getSymName(), /*isConstant=*/false, /*isTarget=*/false,
                          byte, builder.getIntegerAttr(byte, 0), builder.getStringAttr("internal"));
    variable.erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createAllocateInEachDevice() { return std::make_unique<AllocateInEachDevice>(); }
