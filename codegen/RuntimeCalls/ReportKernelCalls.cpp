// In: the host stub of a kernel, which only returns. Out: before that
//
//   fir.call @cufortKernelCalled(%name)

#include "codegen/RuntimeCalls/ReportKernelCalls.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace cufort;

namespace {

/// The name that the user gave the kernel; empty for those of CUF kernels and statements, which have none.
std::string writtenName(func::FuncOp kernel) {
  StringRef symbol = kernel.getSymName();
  auto parts = fir::NameUniquer::deconstruct(symbol);
  bool isOfUser = parts.first == fir::NameUniquer::NameKind::PROCEDURE;
  return isOfUser ? parts.second.name : symbol.starts_with("_QQ") ? std::string() : symbol.str();
}

struct ReportKernelCalls : PassWrapper<ReportKernelCalls, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportKernelCalls)
  StringRef getArgument() const override { return "cufx-report-kernel-calls"; }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      std::string name = writtenName(func);
      if (!cufx::isKernel(func) || func.isDeclaration() || name.empty())
        continue;
      Operation *first = &func.front().front();
      fir::FirOpBuilder builder(first, fir::getKindMapping(getOperation()));
      Location loc = func.getLoc();
      func::FuncOp report = fir::runtime::getRuntimeFunc<FirmkKey(cufortKernelCalled)>(loc, builder);
      codegen::callRuntime(builder, loc, report, {codegen::runtimeText(builder, loc, name)});
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createReportKernelCalls() { return std::make_unique<ReportKernelCalls>(); }
