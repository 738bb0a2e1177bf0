// One block while it runs: its device threads, its warps, and where they meet.
#pragma once

#include "runtime/ABI/EmulatedABI.h"
#include "runtime/Emulated/Fiber.h"
#include "runtime/Emulated/Operation.h"
#include "runtime/Emulated/RaceDetector.h"
#include "runtime/Emulated/SharedMemory.h"
#include <memory>

namespace cufort::rt::emulated {

class Launch;
struct Block;
struct Cluster;
struct Warp;

/// One device thread. What generated code sees of it comes first. While it waits for an operation, the operands are
/// here; when the operation completes, so are the results.
struct DeviceThread : CufortEmuThread {
  Block *block = nullptr; ///< null in a kernel that runs whole blocks in compiled loops
  Warp *warp = nullptr;
  Fiber *fiber = nullptr;
  DeviceThread *nextInQueue = nullptr;
  const char *where = nullptr; ///< of the operation it waits for; may be null
  uint64_t operand = 0;
  uint64_t result = 0;
  uint32_t mask = 0;
  int32_t lane = 0, clamp = 0; ///< shuffle
  Operation waitsFor = Operation::None;
  bool ended = false;
};

/// Lanes of one warp that wait for the same operation with the same mask.
struct WarpGroup {
  uint32_t mask, arrived;
  Operation operation;
};

/// One warp. All masks have bit n for lane n.
struct Warp {
  uint32_t existing; ///< lanes of the block: all 32 except in the last warp
  uint32_t alive;    ///< lanes that have not ended
  uint32_t busy;     ///< live lanes that can still arrive somewhere: not started, runnable or running
  uint32_t groupCount;
  WarpGroup groups[32];
};

/// Where the threads of a block meet in a barrier.
struct BarrierState {
  uint32_t arrived = 0;
  Operation operation = Operation::None;
  const char *where = nullptr;
  bool conflict = false; ///< threads arrived at different barriers: it never completes
  uint32_t trueCount = 0;
};

struct Block {
  const Launch *launch = nullptr;
  uint64_t number = 0;    ///< x fastest, from 0
  uint32_t index[3] = {}; ///< from 0
  uint32_t threadCount = 0, capacity = 0;
  uint32_t next = 0; ///< first thread that has not started
  uint32_t live = 0; ///< threads that have not ended
  BarrierState barrier;
  uint32_t atGridBarrier = 0; ///< threads that wait there
  bool gridConflict = false;  ///< at different ones
  const char *gridWhere = nullptr;
  std::shared_ptr<Cluster> cluster; ///< null if it has none, or is alone in it
  std::unique_ptr<DeviceThread[]> threads;
  std::unique_ptr<Warp[]> warps;
  SharedMemory shared;
  std::unique_ptr<RaceDetector> races; ///< null if nobody looks for them

  /// Makes room for the blocks of `launch` and sets what all of them have in common.
  void prepare(const Launch &launch);
  /// Makes it block `number` of the launch it is prepared for, with no thread started.
  void begin(uint64_t number);
  /// `thread` has ended.
  void threadEnded(DeviceThread &thread) {
    --live;
    uint32_t others = ~(1u << thread.laneId);
    thread.warp->alive &= others;
    thread.warp->busy &= others;
  }
  /// All threads that have not ended have met.
  void passBarrier();
  /// `thread` has done something that orders accesses as an atomic operation does.
  void noteAtomic(const DeviceThread &thread);
  /// True if another block may take its place: other blocks of its cluster may use its shared memory until they end.
  bool isFree() const;
  /// True if every thread that has not ended waits at the grid barrier.
  bool isAtGridBarrier() const { return live && atGridBarrier == live && !gridConflict; }
};

/// Sets `index` to the coordinates of block `number` of a grid.
void blockCoordinates(uint64_t number, const uint32_t grid[3], uint32_t index[3]);

} // namespace cufort::rt::emulated
