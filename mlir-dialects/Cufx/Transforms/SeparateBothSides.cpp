// Procedures with attributes(host, device) get a body for each side. From here on one is host code, which transfers what
// it reads of device data, and the other device code.
//
// In: func.func @p with host_device. Out: @p without attribute, and a copy of it, @p.device, for the device, which all
// device code of this source calls. SplitDeviceCode gives the copy the name of the procedure again, by which device
// code of other sources knows it.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_SEPARATEBOTHSIDES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

void setAttribute(func::FuncOp func, cuf::ProcAttribute attribute) {
  func->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(func.getContext(), attribute));
}

/// Device code names the copies from here on.
void renameUses(ModuleOp module, const llvm::DenseMap<StringAttr, FlatSymbolRefAttr> &copies) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr symbol) -> std::optional<Attribute> {
    auto copy = copies.find(symbol.getRootReference());
    return copy == copies.end() ? std::nullopt : std::optional<Attribute>(copy->second);
  });
  module.walk([&](Operation *op) {
    if (isInDeviceCode(op))
      replacer.replaceElementsIn(op);
  });
}

struct SeparateBothSidesPass : cufort::cufx::impl::SeparateBothSidesBase<SeparateBothSidesPass> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> copies;
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (procAttribute(func) != cuf::ProcAttribute::HostDevice || func.isDeclaration())
        continue;
      OpBuilder builder(func);
      auto copy = cast<func::FuncOp>(builder.clone(*func));
      copy.setSymName((func.getSymName() + deviceCopySuffix).str());
      copies[func.getSymNameAttr()] = FlatSymbolRefAttr::get(copy);
      setAttribute(copy, cuf::ProcAttribute::Device);
      setAttribute(func, cuf::ProcAttribute::Host);
    }
    if (!copies.empty())
      renameUses(getOperation(), copies);
  }
};

} // namespace
