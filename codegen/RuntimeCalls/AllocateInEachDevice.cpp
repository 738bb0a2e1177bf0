#include "codegen/RuntimeCalls/AllocateInEachDevice.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using cufort::cufx::EachDeviceOp;

namespace {

/// Of the byte by whose address the runtime knows a variable.
constexpr StringLiteral nameSuffix = "$in_device";

struct AllocateInEachDevice : PassWrapper<AllocateInEachDevice, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateInEachDevice)
  StringRef getArgument() const override { return "cufx-allocate-in-each-device"; }

  void runOnOperation() override {
    SmallVector<EachDeviceOp> found;
    getOperation().walk([&](EachDeviceOp variable) { found.push_back(variable); });
    if (found.empty())
      return;
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    for (EachDeviceOp variable : found)
      ask(variable, *layout);
  }

private:
  void ask(EachDeviceOp variable, const DataLayout &layout) {
    fir::FirOpBuilder builder(variable, fir::getKindMapping(getOperation()));
    // Where the program uses it, rather than where it is declared.
    Location loc = variable->hasOneUse() ? variable->user_begin()->getLoc() : variable.getLoc();
    fir::GlobalOp name = nameOf(builder, variable);
    Value address = fir::AddrOfOp::create(builder, loc, name.resultType(), name.getSymbol());
    Type type = fir::unwrapRefType(variable.getType());
    Value bytes = cufort::codegen::sizeInBytes(builder, loc, layout, type, {}, {});
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMemInDevice)>(loc, builder);
    Value memory = cufort::codegen::callRuntime(builder, loc, function, {address, bytes});
    variable.replaceAllUsesWith(builder.createConvert(loc, variable.getType(), memory));
    variable.erase();
  }

  static fir::GlobalOp nameOf(fir::FirOpBuilder &builder, EachDeviceOp variable) {
    std::string name = (variable.getVariable() + nameSuffix).str();
    if (fir::GlobalOp known = builder.getNamedGlobal(name))
      return known;
    Type byte = builder.getI8Type();
    return builder.createGlobal(variable.getLoc(), byte, name, builder.createInternalLinkage(),
                                builder.getIntegerAttr(byte, 0));
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createAllocateInEachDevice() { return std::make_unique<AllocateInEachDevice>(); }
