#include "runtime/Emulated/Scheduler.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Worker.h"

thread_local CufortEmuThread *cufortEmuThread;

namespace cufort::rt::emulated {

// Threads that wake each other up again and again let those that have not started, or have given way, run after this
// many switches: they may wait for something that one of those does.
static constexpr unsigned readyStreakLimit = 1024;

Scheduler::Scheduler() : fibers(fiberEntry, this) {}

void Scheduler::beginLaunch(Launch &theLaunch) {
  launch = &theLaunch;
  cooperative = launch->shape.together;
  enterHome(home);
  fibers.setStackBytes(launch->stackBytes);
}

void Scheduler::run() {
  Fiber &to = chooseNext();
  if (&to != &home)
    goTo(home, to);
  cufortEmuThread = nullptr;
}

void Scheduler::runRange(uint64_t first, uint64_t end, SharedMemory &shared, char *memory) {
  const LaunchShape &shape = launch->shape;
  DeviceThread identity;
  CufortEmuBlocks blocks;
  blocks.first = first;
  blocks.end = end;
  blocks.thread = &identity;
  blocks.memory = memory;
  for (int i = 0; i < 3; ++i) {
    blocks.blockDim[i] = identity.blockDim[i] = shape.block[i];
    blocks.gridDim[i] = identity.gridDim[i] = shape.grid[i];
    identity.clusterDim[i] = shape.cluster[i];
    identity.threadIdx[i] = 0;
  }
  blockCoordinates(first, shape.grid, identity.blockIdx);
  identity.laneId = 0;
  identity.dynamicSharedBytes = shape.dynamicShared;
  identity.sharedBase = shared.base();
  identity.dynamicShared = shared.base() + launch->kernel.code->staticSharedBytes;
  range = &blocks;
  run();
}

void Scheduler::abandonThreads() {
  ready.clear();
  yielded.clear();
  starting = nullptr;
  range = nullptr;
  rest = nullptr;
  fibers.resetTaken();
}

void Scheduler::fiberEntry(void *argument) {
  Fiber &fiber = *static_cast<Fiber *>(argument);
  static_cast<Scheduler *>(fiber.owner)->serve(fiber);
}

void Scheduler::serve(Fiber &fiber) {
  for (;;) {
    runStartable(fiber);
    fibers.give(fiber);
    Fiber &to = chooseNext();
    if (&to != &fiber)
      goTo(fiber, to);
  }
}

/// Goes on to the first thread that has something left to do.
static void skipEnded(Block &block) {
  while (block.next < block.threadCount && block.threads[block.next].ended)
    ++block.next;
}

inline DeviceThread *Scheduler::startNext() {
  if (!starting || launch->stopped())
    return nullptr;
  Block &block = *starting;
  DeviceThread &thread = block.threads[block.next++];
  if (rest)
    skipEnded(block);
  if (block.next == block.threadCount)
    starting = nullptr;
  for (int i = 0; i < 3; ++i)
    thread.blockIdx[i] = block.index[i];
  thread.waitsFor = Operation::None;
  thread.ended = false;
  countProgress();
  return &thread;
}

// As short as it can be where nobody waits: this runs for every device thread.
inline void Scheduler::end(DeviceThread &thread) {
  thread.ended = true;
  Block &block = *thread.block;
  block.threadEnded(thread);
  if (!thread.fiber->stack.guarded && isOverrun(thread.fiber->stack))
    launch->fail(CUDA_ERROR_HARDWARE_STACK_ERROR, stackOverflowText(thread, launch->stackBytes));
  if (thread.warp->groupCount)
    leaveWarp(*this, thread);
  if (block.barrier.arrived || cooperative)
    leaveBarriers(*this, block);
  if (block.cluster)
    leaveCluster(*this, *block.cluster);
  if (rest && block.live == 0)
    ready.push(*loops);
}

inline void Scheduler::runToEnd(DeviceThread &thread) {
  const CufortEmuKernel &kernel = *launch->kernel.code;
  DeviceCode scope;
  if (!rest)
    return kernel.thread(launch->params);
  int64_t number = &thread - thread.block->threads.get();
  kernel.resume(launch->params, rest->range, number, rest->phases[number],
                rest->kept + size_t(number) / 32 * rest->keptBytes);
}

void Scheduler::runStartable(Fiber &fiber) {
  const CufortEmuKernel &kernel = *launch->kernel.code;
  if (const CufortEmuBlocks *blocks = range) {
    range = nullptr;
    cufortEmuThread = blocks->thread;
    DeviceCode scope;
    kernel.blocks(launch->params, blocks);
    return;
  }
  while (DeviceThread *thread = startNext()) {
    thread->fiber = &fiber;
    cufortEmuThread = thread;
    runToEnd(*thread);
    end(*thread);
  }
}

void Scheduler::wait(DeviceThread &self, Operation operation, const char *where) {
  if (launch->stopped())
    escape();
  self.waitsFor = operation;
  self.where = where;
  laneIsWaiting(*this, self);
  Fiber &mine = *self.fiber;
  Fiber &to = chooseNext();
  if (&to != &mine)
    goTo(mine, to);
}

void Scheduler::makeReady(DeviceThread &thread) {
  laneIsBusy(thread);
  ready.push(thread);
}

bool Scheduler::yield(DeviceThread &self) {
  if (launch->stopped())
    escape();
  if (self.block->barrier.conflict && ready.empty() && !starting) {
    // The others wait in vain, so what this thread waits for in a loop may never come.
    launch->fail(CUDA_ERROR_LAUNCH_FAILED, describeDeadlock(*self.block));
    escape();
  }
  if (ready.empty() && yielded.empty() && !starting && !moreToCome)
    return false;
  yielded.push(self);
  laneIsWaiting(*this, self);
  Fiber &mine = *self.fiber;
  Fiber &to = chooseNext();
  if (&to != &mine)
    goTo(mine, to);
  return true;
}

void Scheduler::finishBlock(DeviceThread &self, const BlockRest &blockRest) {
  Block &block = blockRest.block;
  for (uint32_t i = 0; i < block.threadCount; ++i) {
    DeviceThread &thread = block.threads[i];
    thread.ended = blockRest.phases[i] == 0;
    if (thread.ended)
      block.threadEnded(thread);
  }
  skipEnded(block);
  rest = &blockRest;
  starting = &block;
  Fiber &mine = *running;
  self.fiber = &mine;
  loops = &self;
  Fiber &to = chooseNext();
  goTo(mine, to);
  rest = nullptr;
}

void Scheduler::escape() {
  Fiber &from = *running;
  running = nullptr;
  abandonFiber(from, home);
}

Fiber &Scheduler::chooseNext() {
  countProgress();
  if (launch->stopped())
    return home;
  bool othersCanRun = starting || range || !yielded.empty();
  if (!ready.empty() && (!othersCanRun || readyStreak++ < readyStreakLimit))
    return resumed(ready.pop());
  readyStreak = 0;
  if (starting || range) {
    if (Fiber *fiber = fibers.take())
      return *fiber;
    launch->fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for the stack of a device thread");
    return home;
  }
  if (yielded.empty() || moreToCome)
    return home;
  DeviceThread &thread = yielded.pop();
  laneIsBusy(thread);
  return resumed(thread);
}

Fiber &Scheduler::resumed(DeviceThread &thread) {
  thread.waitsFor = Operation::None;
  cufortEmuThread = &thread;
  return *thread.fiber;
}

void Scheduler::goTo(Fiber &from, Fiber &to) {
  running = &to == &home ? nullptr : &to;
  switchFiber(from, to);
}

} // namespace cufort::rt::emulated
