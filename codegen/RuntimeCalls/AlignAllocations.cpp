// In: fir.allocmem between calls of cufort_begin_align and cufort_end_align (frontend/Parse/AlignSpecifiers.cpp). Out:
// a call of cufortHostAlloc, whose memory fir.freemem frees as well. Allocations by Flang's runtime ask ours already.

#include "codegen/RuntimeCalls/AlignAllocations.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace cufort;

namespace {

constexpr StringLiteral beginAlign = "_QPcufort_begin_align", endAlign = "_QPcufort_end_align";

bool isCallOf(Operation *op, StringRef callee) {
  auto call = dyn_cast<fir::CallOp>(op);
  return call && cufx::calleeName(call) == callee;
}

struct AlignAllocations : PassWrapper<AlignAllocations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AlignAllocations)
  StringRef getArgument() const override { return "cufx-align-allocations"; }

  void runOnOperation() override {
    SmallVector<fir::AllocMemOp> allocations;
    for (auto procedure : getOperation().getOps<func::FuncOp>())
      procedure.walk([&](Operation *op) {
        if (isCallOf(op, beginAlign))
          collectBehind(op, allocations);
      });
    if (allocations.empty())
      return;
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    for (fir::AllocMemOp allocation : allocations)
      allocate(allocation, *layout);
  }

private:
  /// The calls are statements around the ALLOCATE, and nothing branches between them.
  static void collectBehind(Operation *begin, SmallVectorImpl<fir::AllocMemOp> &allocations) {
    for (Operation *op = begin->getNextNode(); op && !isCallOf(op, endAlign); op = op->getNextNode())
      op->walk([&](fir::AllocMemOp allocation) { allocations.push_back(allocation); });
  }

  void allocate(fir::AllocMemOp allocation, const DataLayout &layout) {
    fir::FirOpBuilder builder(allocation, fir::getKindMapping(getOperation()));
    Location loc = allocation.getLoc();
    Value bytes = codegen::sizeInBytes(builder, loc, layout, allocation.getInType(), allocation.getShape(),
                                       allocation.getTypeparams());
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortHostAlloc)>(loc, builder);
    Value memory = codegen::callRuntime(builder, loc, function, {bytes});
    allocation.replaceAllUsesWith(builder.createConvert(loc, allocation.getType(), memory));
    allocation.erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createAlignAllocations() { return std::make_unique<AlignAllocations>(); }
