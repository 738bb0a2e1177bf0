// Barriers of a block and of the grid: the entry points of the ABI and their completion. As on a GPU since Volta,
// threads that have ended no longer count.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Worker.h"

using namespace cufort::rt;
using namespace cufort::rt::emulated;

/// Sets the result of every thread that waits at the barrier, and lets the barrier be used again.
static uint32_t completeBarrier(Scheduler &scheduler, Block &block) {
  BarrierState &barrier = block.barrier;
  uint32_t result = barrier.trueCount;
  if (barrier.operation == Operation::BarrierAnd)
    result = barrier.trueCount == barrier.arrived;
  else if (barrier.operation == Operation::BarrierOr)
    result = barrier.trueCount != 0;
  for (uint32_t i = 0; i < block.next; ++i) {
    DeviceThread &thread = block.threads[i];
    if (thread.ended || !isBlockBarrier(thread.waitsFor))
      continue;
    thread.result = result;
    thread.waitsFor = Operation::None;
    scheduler.makeReady(thread);
  }
  barrier = BarrierState();
  block.passBarrier();
  return result;
}

/// With CUFORT_CHECK=sync: threads that have ended may not be missing. True if the launch has failed.
static bool failMissing(Block &block) {
  if (!block.launch->checks.sync || !block.barrier.arrived || block.live == block.threadCount)
    return false;
  uint32_t ended = 0;
  while (!block.threads[ended].ended)
    ++ended;
  const char *where = block.barrier.where;
  Worker::active()->launch().fail(
      CUDA_ERROR_LAUNCH_FAILED, std::string("barrier at ") + (where ? where : "an unknown place") + " in block " +
                                    fortranIndex(block.index) + ": thread " +
                                    fortranIndex(block.threads[ended].threadIdx) + " has ended and does not reach it");
  return true;
}

static bool isComplete(const Block &block) {
  return block.barrier.arrived && block.barrier.arrived == block.live && !block.barrier.conflict;
}

static int32_t arriveAtBarrier(Operation operation, int32_t predicate, const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  Block &block = *self.block;
  BarrierState &barrier = block.barrier;
  if (barrier.arrived++ == 0) {
    barrier.operation = operation;
    barrier.where = where;
  } else if (barrier.operation != operation || !samePlace(barrier.where, where)) {
    barrier.conflict = true;
  }
  barrier.trueCount += predicate != 0;
  if (failMissing(block))
    call.scheduler().escape();
  if (isComplete(block))
    return int32_t(completeBarrier(call.scheduler(), block));
  call.scheduler().wait(self, operation, where);
  return int32_t(self.result);
}

namespace cufort::rt::emulated {

void leaveBarriers(Scheduler &scheduler, Block &block) {
  if (!failMissing(block) && isComplete(block))
    completeBarrier(scheduler, block);
  if (!block.launch->shape.together)
    return;
  GridBarrier &grid = Worker::active()->launch().grid;
  if (block.live == 0)
    grid.blockEnded();
  else if (block.isAtGridBarrier())
    grid.arrive(block.gridWhere);
}

void releaseGridBarrier(Scheduler &scheduler, Block &block) {
  block.atGridBarrier = 0;
  block.passBarrier();
  for (uint32_t i = 0; i < block.threadCount; ++i)
    if (!block.threads[i].ended)
      scheduler.makeReady(block.threads[i]);
}

} // namespace cufort::rt::emulated

extern "C" {

void cufortEmuBarrier(const char *where) { arriveAtBarrier(Operation::Barrier, 0, where); }

int32_t cufortEmuBarrierCount(int32_t predicate, const char *where) {
  return arriveAtBarrier(Operation::BarrierCount, predicate, where);
}

int32_t cufortEmuBarrierAnd(int32_t predicate, const char *where) {
  return arriveAtBarrier(Operation::BarrierAnd, predicate, where);
}

int32_t cufortEmuBarrierOr(int32_t predicate, const char *where) {
  return arriveAtBarrier(Operation::BarrierOr, predicate, where);
}

void cufortEmuGridBarrier(const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  Block &block = *self.block;
  if (!call.worker().launch().shape.cooperative)
    call.fail(CUDA_ERROR_LAUNCH_FAILED, [&] {
      return std::string("grid barrier in a launch that is not cooperative") + (where ? ", at " : "") +
             (where ? where : "");
    });
  if (block.atGridBarrier++ == 0)
    block.gridWhere = where;
  else if (!samePlace(block.gridWhere, where))
    block.gridConflict = true;
  if (block.isAtGridBarrier())
    call.worker().launch().grid.arrive(where);
  call.scheduler().wait(self, Operation::GridBarrier, where);
}

} // extern "C"
