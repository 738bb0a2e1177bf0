// A group is a size and the rank in it of the thread that asks, counted from 1. Threads are numbered as the lanes of
// warps are: x first.

#include "mlir-dialects/Cufx/Transforms/RaiseThreadGroups.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

constexpr int64_t warpSize = 32;

/// Computes sizes and ranks, the latter counted from 0, before the call that asks.
struct Counter {
  explicit Counter(fir::CallOp call) : builder(call), loc(call.getLoc()) {}

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }
  Value extent(Extent what, Axis axis) { return ExtentOp::create(builder, loc, builder.getI32Type(), what, axis); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value multiply(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }

  Value sizeOf(Extent dimension) {
    Value size = extent(dimension, Axis::X);
    for (Axis axis : {Axis::Y, Axis::Z}) {
      Value length = extent(dimension, axis);
      size = multiply(size, length);
    }
    return size;
  }
  Value rankIn(Extent dimension, Extent index) {
    Value rank = extent(index, Axis::Z);
    for (Axis axis : {Axis::Y, Axis::X}) {
      Value length = extent(dimension, axis);
      Value before = multiply(rank, length);
      rank = add(before, extent(index, axis));
    }
    return rank;
  }
  Value threadsOfBlock() { return sizeOf(Extent::BlockDim); }
  Value threadInBlock() { return rankIn(Extent::BlockDim, Extent::ThreadIdx); }

  /// Puts the group where the result of the call was put.
  void replace(fir::CallOp call, Value size, Value rank) {
    auto type = cast<fir::RecordType>(call.getResult(0).getType());
    Value group = fir::UndefOp::create(builder, loc, type);
    Value fromOne = add(rank, constant(1));
    for (auto [index, value] : llvm::enumerate(ValueRange{size, fromOne}))
      group = fir::InsertValueOp::create(builder, loc, type, group, value,
                                         builder.getArrayAttr(builder.getIndexAttr(index)));
    storeSavedResults(call);
    call.getResult(0).replaceAllUsesWith(group);
    call.erase();
  }

  OpBuilder builder;
  Location loc;
};

} // namespace

void cufort::cufx::raiseThisGrid(fir::CallOp call) {
  Counter counter(call);
  Value blockSize = counter.threadsOfBlock();
  Value gridSize = counter.multiply(counter.sizeOf(Extent::GridDim), blockSize);
  Value block = counter.rankIn(Extent::GridDim, Extent::BlockIdx);
  Value threadsBefore = counter.multiply(block, blockSize);
  Value rank = counter.add(threadsBefore, counter.threadInBlock());
  counter.replace(call, gridSize, rank);
}

void cufort::cufx::raiseThisThreadBlock(fir::CallOp call) {
  Counter counter(call);
  Value size = counter.threadsOfBlock();
  counter.replace(call, size, counter.threadInBlock());
}

void cufort::cufx::raiseThisWarp(fir::CallOp call) {
  Counter counter(call);
  Value thread = counter.threadInBlock();
  Value lane = arith::AndIOp::create(counter.builder, counter.loc, thread, counter.constant(warpSize - 1));
  counter.replace(call, counter.constant(warpSize), lane);
}
