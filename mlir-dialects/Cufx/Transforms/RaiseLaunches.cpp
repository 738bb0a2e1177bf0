// cuf.kernel_launch as Flang lowers a chevron call becomes cufx.launch: extents in 64 bits, the stream's value
// instead of its address, and what the kernel's attributes ask of the launch.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISELAUNCHES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

static void raise(cuf::KernelLaunchOp launch) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  auto widen = [&](Value value) -> Value {
    return value ? fir::ConvertOp::create(builder, loc, builder.getI64Type(), value).getResult() : Value();
  };
  Value stream;
  if (launch.getStream())
    stream = widen(fir::LoadOp::create(builder, loc, launch.getStream()));
  DenseI64ArrayAttr cluster;
  bool cooperative = false;
  auto module = launch->getParentOfType<ModuleOp>();
  if (auto kernel = module.lookupSymbol<func::FuncOp>(launch.getCallee().getLeafReference())) {
    cooperative = procAttribute(kernel) == cuf::ProcAttribute::GridGlobal;
    if (auto dims = kernel->getAttrOfType<cuf::ClusterDimsAttr>("cuf.cluster_dims"))
      cluster = builder.getDenseI64ArrayAttr({dims.getX().getInt(), dims.getY().getInt(), dims.getZ().getInt()});
  }
  LaunchOp::create(builder, loc, launch.getCallee(), widen(launch.getGridX()), widen(launch.getGridY()),
                   widen(launch.getGridZ()), widen(launch.getBlockX()), widen(launch.getBlockY()),
                   widen(launch.getBlockZ()), widen(launch.getBytes()), stream, launch.getArgs(), cluster,
                   cooperative);
  launch.erase();
}

namespace {
struct RaiseLaunchesPass : cufort::cufx::impl::RaiseLaunchesBase<RaiseLaunchesPass> {
  void runOnOperation() override {
    SmallVector<cuf::KernelLaunchOp> launches;
    getOperation().walk([&](cuf::KernelLaunchOp launch) { launches.push_back(launch); });
    llvm::for_each(launches, raise);
  }
};
} // namespace
