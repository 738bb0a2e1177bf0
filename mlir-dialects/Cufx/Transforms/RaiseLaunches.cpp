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

/// Kernels with BIND(C) have derived types with VALUE as such in their interface, which is for no target that LLVM
/// knows. Others have the address of a copy, which the launch passes by value: so do these from here on.
static void takeRecordsByReference(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (unsigned i = 0; i < types.size(); ++i) {
    if (!isa<fir::RecordType>(types[i]))
      continue;
    types[i] = fir::ReferenceType::get(types[i]);
    if (kernel.isDeclaration())
      continue;
    BlockArgument argument = kernel.getArgument(i);
    argument.setType(types[i]);
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
    auto load = fir::LoadOp::create(builder, kernel.getLoc(), argument);
    argument.replaceAllUsesExcept(load, load);
  }
  kernel.setType(FunctionType::get(kernel.getContext(), types, kernel.getResultTypes()));
}

/// The arguments of `launch`, with the addresses of copies in the place of derived types.
static SmallVector<Value> passRecordsByReference(cuf::KernelLaunchOp launch) {
  SmallVector<Value> arguments(launch.getArgs());
  for (Value &argument : arguments) {
    if (!isa<fir::RecordType>(argument.getType()))
      continue;
    OpBuilder entry = OpBuilder::atBlockBegin(&launch->getParentOfType<func::FuncOp>().front());
    Value copy = fir::AllocaOp::create(entry, launch.getLoc(), argument.getType());
    OpBuilder builder(launch);
    fir::StoreOp::create(builder, launch.getLoc(), argument, copy);
    argument = copy;
  }
  return arguments;
}

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
                   widen(launch.getBlockZ()), widen(launch.getBytes()), stream, passRecordsByReference(launch), cluster,
                   cooperative);
  launch.erase();
}

namespace {
struct RaiseLaunchesPass : cufort::cufx::impl::RaiseLaunchesBase<RaiseLaunchesPass> {
  void runOnOperation() override {
    SmallVector<cuf::KernelLaunchOp> launches;
    getOperation().walk([&](cuf::KernelLaunchOp launch) { launches.push_back(launch); });
    llvm::for_each(launches, raise);
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isKernel(func))
        takeRecordsByReference(func);
  }
};
} // namespace
