// Hides device memory from Flang's code generation.

#include "codegen/RuntimeCalls/HideDeviceMemory.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace {
struct HideDeviceMemory : PassWrapper<HideDeviceMemory, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HideDeviceMemory)
  StringRef getArgument() const override { return "cufx-hide-device-memory"; }

  void runOnOperation() override {
    for (auto procedure : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < procedure.getNumArguments(); ++i)
        procedure.removeArgAttr(i, "cuf.data_attr");
    // Flang puts these into an address space of their own, but not those that another file defines.
    for (auto global : getOperation().getOps<fir::GlobalOp>())
      if (global.getDataAttr() && *global.getDataAttr() == cuf::DataAttribute::Constant)
        global.removeDataAttrAttr();
    auto function = getOperation().lookupSymbol<func::FuncOp>("_FortranACUFMemAlloc");
    if (!function)
      return;
    auto name = StringAttr::get(&getContext(), "cufortMemAlloc");
    if (failed(SymbolTable::replaceAllSymbolUses(function.getSymNameAttr(), name, getOperation())))
      return signalPassFailure();
    function.setSymName(name);
  }
};
} // namespace

std::unique_ptr<Pass> cufort::codegen::createHideDeviceMemory() { return std::make_unique<HideDeviceMemory>(); }
