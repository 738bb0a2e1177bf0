// Device variables of modules and SAVE variables, after the current device may have changed.
//
// Each device has its own copy of such a variable (CUDA C++ Programming Guide, 3.2.9), and cudaDeviceReset makes a new
// one. Lowering names a variable once, at the beginning of a procedure, and later passes look up its address there.
//
// In: host code that calls procedures. Out: what follows a call that may choose or reset a device names the variables
// that it uses again. Each lookup costs the host some ten nanoseconds; loops that call nothing do without.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_REFRESHDEVICEADDRESSES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for a variable of which each device has one: no descriptor, which the host has. Managed ones come with the
/// device code as well, which each device loads for itself.
bool isPerDevice(hlfir::DeclareOp declare) {
  auto attribute = declare.getDataAttr();
  if (attribute != cuf::DataAttribute::Device && attribute != cuf::DataAttribute::Constant &&
      attribute != cuf::DataAttribute::Managed)
    return false;
  Operation *definition = declare.getMemref().getDefiningOp();
  return isa_and_nonnull<fir::AddrOfOp, EachDeviceOp>(definition) &&
         !isa<fir::BaseBoxType>(fir::unwrapRefType(declare.getMemref().getType()));
}

/// True for a call after which another device may be current, or this one may have lost its memory. Of the runtime's
/// procedures a few do that; any other may call them.
bool mayChangeDevice(Operation *op) {
  if (isa<fir::DispatchOp>(op))
    return true;
  auto call = dyn_cast<fir::CallOp>(op);
  if (!call)
    return false;
  std::optional<SymbolRefAttr> callee = call.getCallee();
  if (!callee)
    return true;
  StringRef name = callee->getLeafReference();
  if (name.starts_with("cufort_"))
    return name.contains("SetDevice") || name.contains("SetValidDevices") || name.contains("Reset");
  return !name.starts_with("_FortranA");
}

/// What the loops of a CUF kernel call, runs on the device and chooses none.
bool containsChange(Operation *op) {
  auto isChange = [](Operation *inner) {
    if (isa<cuf::KernelOp>(inner))
      return WalkResult::skip();
    return mayChangeDevice(inner) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op->walk<WalkOrder::PreOrder>(isChange).wasInterrupted();
}

/// Gives the uses in one function their declarations.
class Refresher {
public:
  explicit Refresher(func::FuncOp func) {
    func.walk([&](hlfir::DeclareOp declare) {
      if (isPerDevice(declare))
        originals.insert(declare);
    });
  }

  /// Visits a region with a call in it. Each of its blocks may be reached from behind one, in a loop.
  void run(Region &region) {
    for (Block &block : region) {
      Declarations current;
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(op, current);
    }
  }

private:
  using Declarations = DenseMap<Operation *, hlfir::DeclareOp>;

  void visit(Operation &op, Declarations &current) {
    if (auto declare = dyn_cast<hlfir::DeclareOp>(op); declare && originals.contains(declare)) {
      // Where the procedure begins, the program may not have chosen the device on which a variable is to be allocated.
      if (!declare.getMemref().getDefiningOp<EachDeviceOp>())
        current[declare] = declare;
      return;
    }
    if (!op.getNumRegions()) {
      refreshOperands(op, op, current);
    } else if (!containsChange(&op)) {
      op.walk([&](Operation *inner) { refreshOperands(*inner, op, current); });
    } else {
      refreshOperands(op, op, current);
      for (Region &region : op.getRegions())
        run(region);
      current.clear();
    }
    if (mayChangeDevice(&op))
      current.clear();
  }

  /// Lets `user` use what is declared before `place`, which is `user` or has it in a region.
  void refreshOperands(Operation &user, Operation &place, Declarations &current) {
    for (OpOperand &operand : user.getOpOperands()) {
      auto declare = operand.get().getDefiningOp<hlfir::DeclareOp>();
      if (!declare || !originals.contains(declare))
        continue;
      hlfir::DeclareOp &newest = current[declare];
      if (!newest)
        newest = declareAgain(declare, place);
      operand.set(newest->getResult(cast<OpResult>(operand.get()).getResultNumber()));
    }
  }

  static hlfir::DeclareOp declareAgain(hlfir::DeclareOp declare, Operation &place) {
    OpBuilder builder(&place);
    Operation *address = builder.clone(*declare.getMemref().getDefiningOp());
    IRMapping again;
    again.map(declare.getMemref(), address->getResult(0));
    return cast<hlfir::DeclareOp>(builder.clone(*declare, again));
  }

  llvm::DenseSet<Operation *> originals;
};

struct RefreshDeviceAddressesPass : cufort::cufx::impl::RefreshDeviceAddressesBase<RefreshDeviceAddressesPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!isDeviceProcedure(func) && containsChange(func))
        Refresher(func).run(func.getBody());
  }
};

} // namespace
