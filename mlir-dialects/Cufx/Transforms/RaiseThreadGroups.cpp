// A group is a size and the rank in it of the thread that asks, or for a cluster of its block, counted from 1. Threads
// are numbered as the lanes of warps are, and blocks likewise: x first.

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

  /// Puts a value with these components where the result of the call was put.
  void replace(fir::CallOp call, ValueRange components) {
    auto type = cast<fir::RecordType>(call.getResult(0).getType());
    Value result = fir::UndefOp::create(builder, loc, type);
    for (auto [index, component] : llvm::enumerate(components))
      result = fir::InsertValueOp::create(builder, loc, type, result, component,
                                          builder.getArrayAttr(builder.getIndexAttr(index)));
    storeSavedResults(call);
    call.getResult(0).replaceAllUsesWith(result);
    call.erase();
  }
  void replace(fir::CallOp call, Value size, Value rank) {
    Value fromOne = add(rank, constant(1));
    replace(call, ValueRange{size, fromOne});
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

void cufort::cufx::raiseThisCluster(fir::CallOp call) {
  Counter counter(call);
  Value size = counter.sizeOf(Extent::ClusterDim);
  counter.replace(call, size, counter.rankIn(Extent::ClusterDim, Extent::ClusterBlockIdx));
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

void cufort::cufx::raiseClusterBlockIndex(fir::CallOp call) {
  Counter counter(call);
  SmallVector<Value> components;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z}) {
    Value index = counter.extent(Extent::ClusterBlockIdx, axis);
    components.push_back(counter.add(index, counter.constant(1)));
  }
  counter.replace(call, components);
}

void cufort::cufx::raiseClusterDimBlocks(fir::CallOp call) {
  Counter counter(call);
  SmallVector<Value> components;
  for (Axis axis : {Axis::X, Axis::Y, Axis::Z})
    components.push_back(counter.extent(Extent::ClusterDim, axis));
  counter.replace(call, components);
}
