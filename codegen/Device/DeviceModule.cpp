// Clones the gpu.module of a source into a module that FIR's code generation accepts.

#include "codegen/Device/DeviceModule.h"
#include "codegen/Device/KernelAliasing.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

void cufort::codegen::setDeviceTarget(ModuleOp device, llvm::TargetMachine &machine) {
  fir::setTargetTriple(device, machine.getTargetTriple().str());
  fir::support::setMLIRDataLayout(device, machine.createDataLayout());
}

OwningOpRef<ModuleOp> cufort::codegen::cloneDeviceModule(ModuleOp host, llvm::TargetMachine &machine) {
  gpu::GPUModuleOp source;
  for (auto found : host.getOps<gpu::GPUModuleOp>())
    source = found;
  if (!source)
    return {};
  OwningOpRef<ModuleOp> device(ModuleOp::create(host.getLoc()));
  // Kinds and defaults of the source.
  for (NamedAttribute attribute : host->getAttrs())
    if (attribute.getName().getValue().starts_with("fir."))
      (*device)->setAttr(attribute.getName(), attribute.getValue());
  setDeviceTarget(*device, machine);

  OpBuilder builder = OpBuilder::atBlockEnd(device->getBody());
  for (Operation &op : source.getBodyRegion().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    Operation *clone = builder.clone(op);
    auto func = dyn_cast<func::FuncOp>(clone);
    if (!func || !cufx::isKernel(func))
      continue;
    func->setAttr(kernelAttribute, builder.getUnitAttr());
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (cufx::isReferenceByValue(func, i))
        func.setArgAttr(i, byValueAttribute, builder.getUnitAttr());
  }
  // When all procedures are there that kernels may call.
  for (auto func : device->getOps<func::FuncOp>())
    if (func->hasAttr(kernelAttribute))
      markUnchangedArrays(func);
  return device;
}
