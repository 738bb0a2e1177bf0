// Dialects and translations.

#include "codegen/Support/Registry.h"
#include "flang/Optimizer/Support/InitFIR.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void cufort::codegen::loadDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  fir::support::registerDialects(registry);
  fir::support::addFIRExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<cufx::CufxDialect, mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect>();
  context.appendDialectRegistry(registry);
  fir::support::loadDialects(context);
  fir::support::registerLLVMTranslation(context);
  context.loadDialect<cufx::CufxDialect, mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect>();
}
