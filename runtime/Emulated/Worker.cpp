#include "runtime/Emulated/Worker.h"
#include "runtime/Emulated/ChunkSize.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Watchdog.h"
#include "runtime/Support/FloatTraps.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace cufort::rt::emulated {

thread_local Worker *Worker::activeWorker;

// More fibers than the largest block needs are only kept while a cooperative launch runs.
static constexpr size_t keptFibers = 1024;

namespace {
/// Workers whose host thread has ended, for the next host thread.
struct FreeWorkers {
  std::mutex lock;
  std::vector<Worker *> list;
};

/// Gives the worker of a host thread back when that thread ends.
struct Binding {
  Worker *worker = nullptr;
  ~Binding();
};
} // namespace

// Never destroyed: host threads may end after the destructors of static objects have run.
static FreeWorkers &freeWorkers() {
  static auto *workers = new FreeWorkers();
  return *workers;
}

Binding::~Binding() {
  if (!worker)
    return;
  std::lock_guard<std::mutex> guard(freeWorkers().lock);
  freeWorkers().list.push_back(worker);
}

Worker &Worker::ofThisThread() {
  static thread_local Binding binding;
  if (!binding.worker) {
    std::lock_guard<std::mutex> guard(freeWorkers().lock);
    std::vector<Worker *> &list = freeWorkers().list;
    if (list.empty()) {
      binding.worker = new Worker();
    } else {
      binding.worker = list.back();
      list.pop_back();
    }
  }
  return *binding.worker;
}

bool Worker::begin(Launch &launch) {
  installFaultHandlers();
  ensureSignalStack();
  currentLaunch = &launch;
  phase = 0;
  setMode(Mode::Runtime);
  scheduler.beginLaunch(launch);
  if (slots.empty())
    slots.push_back(std::make_unique<Block>());
  if ((launch.threadsPerBlock > 1 && !usesLoops(launch)) || launch.shape.together)
    Watchdog::instance().watch(*this);
  activeWorker = this;
  restIsPrepared = false;
  if (!slots[0]->shared.reserve(launch.kernel.code->staticSharedBytes + launch.shape.dynamicShared))
    launch.fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for shared memory");
  else if (usesLoops(launch) && !phaseMemory.reserve(launch.kernel.code->phaseBytes))
    launch.fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "no memory for the values of threads that wait for others");
  else
    return true;
  return false;
}

void Worker::finish() {
  activeWorker = nullptr;
  Watchdog::instance().unwatch(*this);
  scheduler.trimFibers(keptFibers);
  if (slots.size() > 1)
    slots.resize(1);
  setMode(Mode::Host);
  currentLaunch = nullptr;
}

bool Worker::usesLoops(const Launch &launch) {
  const CufortEmuKernel &code = *launch.kernel.code;
  return code.blocks && ((!launch.checks.any() && !launch.shape.together) || !code.thread);
}

void Worker::run(Launch &launch, double seconds) {
  ExceptionsOff exceptionsOff;
  if (begin(launch)) {
    if (launch.shape.together)
      runCooperative();
    else if (launch.clusterBlocks > 1 && !usesLoops(launch))
      runClusters(seconds);
    else
      runChunks(seconds);
  }
  finish();
}

void Worker::runChunks(double seconds) {
  if (!usesLoops(*currentLaunch))
    slots[0]->prepare(*currentLaunch);
  ChunkSize size(settings().threads);
  uint64_t first, end;
  while (currentLaunch->claim(size.next(currentLaunch->unclaimed()), first, end)) {
    if (usesLoops(*currentLaunch))
      runLoops(first, end);
    else
      for (uint64_t number = first; number < end && !currentLaunch->stopped(); ++number)
        runBlock(number);
    double elapsed = size.chunkEnded();
    if (seconds > 0 && elapsed > seconds)
      return;
  }
}

void Worker::runLoops(uint64_t first, uint64_t end) {
  parted.end();
  scheduler.runRange(first, end, slots[0]->shared, phaseMemory.begin());
  if (settleFailure() || !scheduler.unfinishedBlock())
    return;
  currentLaunch->fail(CUDA_ERROR_LAUNCH_FAILED, describeDeadlock(*scheduler.unfinishedBlock()));
  settleFailure();
}

Block &Worker::blockForRest(uint64_t number) {
  Block &block = *slots[0];
  if (!restIsPrepared)
    block.prepare(*currentLaunch);
  restIsPrepared = true;
  block.begin(number);
  return block;
}

void Worker::runBlock(uint64_t number) {
  Block &block = *slots[0];
  beginBlock(block, number);
  startBlock(block);
  if (settleFailure() || block.live == 0)
    return;
  currentLaunch->fail(CUDA_ERROR_LAUNCH_FAILED, describeDeadlock(block));
  settleFailure();
}

void Worker::beginBlock(Block &block, uint64_t number) {
  block.begin(number);
  if (currentLaunch->checks.any())
    block.shared.poison();
}

void Worker::startBlock(Block &block) {
  scheduler.add(block);
  scheduler.run();
}

bool Worker::settleFailure() {
  setMode(Mode::Runtime);
  if (fault.signal) {
    reportFault(*currentLaunch, fault, !usesLoops(*currentLaunch));
    fault = Fault();
  }
  if (!currentLaunch->stopped())
    return false;
  scheduler.abandonThreads();
  return true;
}

Worker &RuntimeCall::refuseHost() {
  static const char text[] = "cufort: an operation of device code was executed by the host\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
    abort();
  abort();
}

void RuntimeCall::noteFailure(CUresult result, const std::string &problem) { theWorker.launch().fail(result, problem); }

DeviceThread &RuntimeCall::refuseLoops() {
  fail(CUDA_ERROR_LAUNCH_FAILED,
       [] { return "a barrier or warp operation in a kernel that was compiled as having none"; });
}

} // namespace cufort::rt::emulated
