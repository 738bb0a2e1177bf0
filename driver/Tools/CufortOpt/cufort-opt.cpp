// cufort-opt: runs single passes over MLIR text, for tests and bug reports.

#include "codegen/RuntimeCalls/HideDeviceMemory.h"
#include "codegen/RuntimeCalls/LowerHostOperations.h"
#include "flang/Optimizer/Support/InitFIR.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  cufort::cufx::registerCufxPasses();
  mlir::registerTransformsPasses();
  mlir::registerPass([] { return cufort::codegen::createLowerHostOperations(); });
  mlir::registerPass([] { return cufort::codegen::createHideDeviceMemory(); });

  mlir::DialectRegistry registry;
  fir::support::registerDialects(registry);
  registry.insert<cufort::cufx::CufxDialect, mlir::gpu::GPUDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "pass driver of cufort\n", registry));
}
