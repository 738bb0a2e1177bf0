// Shared variables get their places: a size for static ones, an offset into the launch's bytes for the others.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISESHAREDMEMORY
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// What every device gives a block without being asked at launch.
constexpr int64_t maxStaticShared = 48 * 1024;
/// What the largest GPUs give it at all.
constexpr int64_t maxShared = 227 * 1024;
constexpr int64_t dynamicAlignment = 16;

class SharedPlacer {
public:
  SharedPlacer(func::FuncOp func, const DataLayout &layout, const fir::KindMapping &kinds)
      : func(func), layout(layout), kinds(kinds) {}

  LogicalResult run() {
    SmallVector<cuf::SharedMemoryOp> found;
    func.walk([&](cuf::SharedMemoryOp op) { found.push_back(op); });
    for (cuf::SharedMemoryOp op : found)
      if (failed(place(op)))
        return failure();
    return success();
  }

private:
  LogicalResult place(cuf::SharedMemoryOp op) {
    Type type = op.getInType();
    Type element = fir::unwrapSequenceType(type);
    auto size = fir::getTypeSizeAndAlignment(op.getLoc(), element, layout, kinds);
    if (!size)
      return op.emitError() << "a shared variable of this type is not supported";
    // Elements stand at multiples of their alignment.
    int64_t elementBytes = llvm::alignTo(size->first, std::max<uint64_t>(size->second, 1));
    auto sequence = dyn_cast<fir::SequenceType>(type);
    bool isStatic = !sequence || !sequence.hasDynamicExtents();
    return isStatic ? placeStatic(op, elementBytes * (sequence ? sequence.getConstantArraySize() : 1), size->second)
                    : placeDynamic(op, elementBytes, size->second);
  }

  LogicalResult placeStatic(cuf::SharedMemoryOp op, int64_t bytes, int64_t alignment) {
    staticBytes = llvm::alignTo(staticBytes, alignment) + bytes;
    if (staticBytes > maxShared)
      return op.emitError() << "the shared variables of this procedure need " << staticBytes
                            << " bytes; no GPU has more than " << maxShared << " for a block";
    if (staticBytes > maxStaticShared)
      return op.emitError() << "the static shared variables of this procedure need " << staticBytes
                            << " bytes; a block has at most " << maxStaticShared
                            << ": declare the array with bounds '*' and give the bytes at launch";
    OpBuilder builder(op);
    std::string name = (func.getSymName() + "_" + op.getBindcName().value_or("")).str();
    replace(op, SharedOp::create(builder, op.getLoc(), op.getPtr().getType(), builder.getStringAttr(name),
                                 builder.getI64IntegerAttr(std::max<int64_t>(bytes, 1)),
                                 builder.getI64IntegerAttr(alignment), Value()));
    return success();
  }

  LogicalResult placeDynamic(cuf::SharedMemoryOp op, int64_t elementBytes, int64_t alignment) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    bool assumedSize = llvm::any_of(op.getShape(), [](Value extent) {
      auto constant = fir::getIntIfConstant(extent);
      return extent.getDefiningOp<fir::AssumedSizeExtentOp>() || (constant && *constant < 0);
    });
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value offset = assumedSize || !nextOffset ? zero : alignUp(builder, loc, nextOffset, alignment);
    if (!assumedSize)
      nextOffset = endOf(builder, op, offset, elementBytes);
    replace(op, SharedOp::create(builder, loc, op.getPtr().getType(), builder.getStringAttr("dynamic"), IntegerAttr(),
                                 builder.getI64IntegerAttr(std::max(alignment, dynamicAlignment)), offset));
    return success();
  }

  /// `offset` rounded up to `alignment`, and no further: the bytes of the launch may be the sum of the arrays' sizes.
  static Value alignUp(OpBuilder &builder, Location loc, Value offset, int64_t alignment) {
    Value end =
        arith::AddIOp::create(builder, loc, offset, arith::ConstantIntOp::create(builder, loc, alignment - 1, 64));
    return arith::AndIOp::create(builder, loc, end, arith::ConstantIntOp::create(builder, loc, -alignment, 64));
  }

  /// offset + bytes of the array.
  Value endOf(OpBuilder &builder, cuf::SharedMemoryOp op, Value offset, int64_t elementBytes) {
    Location loc = op.getLoc();
    Value bytes = arith::ConstantIntOp::create(builder, loc, elementBytes, 64);
    auto sequence = cast<fir::SequenceType>(op.getInType());
    auto multiply = [&](Value factor) { bytes = arith::MulIOp::create(builder, loc, bytes, factor); };
    // One operand for each extent that the type does not know.
    for (int64_t extent : sequence.getShape())
      if (extent != fir::SequenceType::getUnknownExtent())
        multiply(arith::ConstantIntOp::create(builder, loc, extent, 64));
    bool onlyUnknown = op.getShape().size() != sequence.getDimension();
    for (auto [index, extent] : llvm::enumerate(op.getShape()))
      if (onlyUnknown || sequence.getShape()[index] == fir::SequenceType::getUnknownExtent())
        multiply(fir::ConvertOp::create(builder, loc, builder.getI64Type(), extent));
    return arith::AddIOp::create(builder, loc, offset, bytes);
  }

  static void replace(cuf::SharedMemoryOp op, SharedOp shared) {
    op.getPtr().replaceAllUsesWith(shared.getAddress());
    op.erase();
  }

  func::FuncOp func;
  const DataLayout &layout;
  const fir::KindMapping &kinds;
  int64_t staticBytes = 0;
  Value nextOffset;
};

struct RaiseSharedMemoryPass : cufort::cufx::impl::RaiseSharedMemoryBase<RaiseSharedMemoryPass> {
  void runOnOperation() override {
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    fir::KindMapping kinds = fir::getKindMapping(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(SharedPlacer(func, *layout, kinds).run()))
        signalPassFailure();
  }
};

} // namespace
