// A host thread as it runs device code.
#pragma once

#include "runtime/Emulated/Fault.h"
#include "runtime/Emulated/PartedBlock.h"
#include "runtime/Emulated/PhaseMemory.h"
#include "runtime/Emulated/Scheduler.h"
#include <vector>

namespace cufort::rt::emulated {

/// What a host thread is doing, for signal handlers.
enum class Mode : uint8_t {
  Host,       ///< no launch, or between device threads
  Runtime,    ///< device code called the runtime
  UserMemory, ///< the same, and it reads memory that device code named: a fault is the kernel's
  Device,     ///< device code
};

/// The means of one host thread to run blocks: fibers, shared memory, run queue. Made once per host thread that
/// launches a kernel or belongs to the pool, and kept for the next one when that thread ends; never freed.
class Worker {
public:
  /// Returns the calling host thread's worker, making one if needed.
  static Worker &ofThisThread();
  /// Returns the worker of the launch that the calling host thread runs blocks of, or null. Async-signal-safe.
  static Worker *active() { return activeWorker; }

  /// Runs blocks of `launch` until there are none left or it has failed; if `seconds` is not 0 and the launch is not
  /// cooperative, only until so much time has passed and a block or cluster has ended.
  void run(Launch &launch, double seconds = 0);

  Mode mode() const { return currentMode.load(std::memory_order_relaxed); }
  /// Compilers must not move device code or runtime code across it: handlers on the same host thread look at it.
  void setMode(Mode mode) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    currentMode.store(mode, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  Launch &launch() { return *currentLaunch; }
  /// Grid barriers that this worker's blocks have passed.
  uint64_t gridPhase() const { return phase; }

  /// Returns a block with no thread started that is block `number` of the launch, which runs in compiled loops.
  Block &blockForRest(uint64_t number);

  Scheduler scheduler;
  PartedBlock parted; ///< the block that compiled loops run, if its threads have parted
  Fault fault; ///< what a handler noted before it escaped

private:
  bool begin(Launch &launch);
  void finish();
  static bool usesLoops(const Launch &launch);
  void runChunks(double seconds);
  void runLoops(uint64_t first, uint64_t end);
  void runBlock(uint64_t number);
  /// Makes `block`, which is prepared, block `number`, of which no thread has started.
  void beginBlock(Block &block, uint64_t number);
  /// Runs the threads of `block` as far as they get.
  void startBlock(Block &block);
  /// Notes a fault that ended the last run of the scheduler. True if the launch has failed; nothing runs then.
  bool settleFailure();

  // CooperativeBlocks.cpp
  void runCooperative();
  bool startCooperative(uint64_t first, uint64_t end);
  bool meetAtGridBarrier();
  /// Returns a place that holds block `number` from now on, beside the other blocks of the worker; null, and the launch
  /// has failed, if there is no memory.
  Block *takeSlot(uint64_t number);
  Block *freeSlot();
  void emptySlots();

  // ClusterBlocks.cpp
  void runClusters(double seconds);
  /// Starts the blocks of the cluster that begins at place `first` of the launch's order.
  bool startCluster(uint64_t first);
  bool finishCluster();

  static thread_local Worker *activeWorker __attribute__((tls_model("initial-exec")));
  std::atomic<Mode> currentMode{Mode::Host};
  Launch *currentLaunch = nullptr;
  uint64_t phase = 0;
  std::vector<std::unique_ptr<Block>> slots;
  bool restIsPrepared = false; ///< slots[0] is, for the launch
  PhaseMemory phaseMemory;
};

/// While it lives, the calling worker runs device code.
class DeviceCode {
public:
  DeviceCode() : worker(*Worker::active()) { worker.setMode(Mode::Device); }
  ~DeviceCode() { worker.setMode(Mode::Runtime); }

private:
  Worker &worker;
};

/// While it lives, device code is in the runtime and is neither pre-empted nor blamed for faults.
class RuntimeCall {
public:
  RuntimeCall() : theWorker(Worker::active() ? *Worker::active() : refuseHost()) { theWorker.setMode(Mode::Runtime); }
  ~RuntimeCall() { theWorker.setMode(Mode::Device); }
  Worker &worker() { return theWorker; }
  Scheduler &scheduler() { return theWorker.scheduler; }
  /// Returns the calling device thread; ends the launch if the kernel was compiled as if it never waited.
  DeviceThread &thread() {
    auto *thread = static_cast<DeviceThread *>(cufortEmuThread);
    return thread->block ? *thread : refuseLoops();
  }

  /// Ends the launch with `result` and what `describe` returns, and the calling device thread. Nothing on its stack is
  /// destroyed, so nothing there may own memory.
  template <typename Describe>
  [[noreturn]] void fail(CUresult result, Describe describe) {
    noteFailure(result, describe());
    theWorker.scheduler.escape();
  }

private:
  static Worker &refuseHost();
  void noteFailure(CUresult result, const std::string &problem);
  DeviceThread &refuseLoops();
  Worker &theWorker;
};

} // namespace cufort::rt::emulated
