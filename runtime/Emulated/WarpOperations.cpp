// Operations of the lanes of a warp: barrier, vote, match, shuffle, activemask.
//
// As PTX defines the .sync instructions, an operation completes when all lanes that its mask names and that have not
// ended have arrived at an equal operation with an equal mask; lanes that the block does not have count as ended.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Meeting.h"
#include "runtime/Emulated/Worker.h"
#include <cstdio>

using namespace cufort::rt;
using namespace cufort::rt::emulated;

namespace {

/// The lanes that complete an operation together.
class Lanes {
public:
  Lanes(DeviceThread *first, uint32_t arrived) : first(first), arrived(arrived) {}
  uint32_t mask() const { return arrived; }
  bool has(uint32_t lane) const { return arrived >> lane & 1; }
  DeviceThread &operator[](uint32_t lane) const { return first[lane]; }
  template <typename Use>
  void forEach(Use use) const {
    for (uint32_t rest = arrived; rest; rest &= rest - 1)
      use(first[__builtin_ctz(rest)]);
  }

private:
  DeviceThread *first;
  uint32_t arrived;
};

uint32_t bitOf(const DeviceThread &thread) { return 1u << thread.laneId; }

void vote(Operation operation, Lanes lanes) {
  uint32_t ballot = 0;
  lanes.forEach([&](DeviceThread &thread) { ballot |= thread.operand ? bitOf(thread) : 0; });
  uint32_t result = voteResult(operation, ballot, lanes.mask());
  lanes.forEach([&](DeviceThread &thread) { thread.result = result; });
}

void matchAny(Lanes lanes) {
  lanes.forEach([&](DeviceThread &thread) {
    uint32_t equal = 0;
    lanes.forEach([&](DeviceThread &other) { equal |= other.operand == thread.operand ? bitOf(other) : 0; });
    thread.result = equal;
  });
}

void matchAll(Lanes lanes) {
  uint64_t value = lanes[uint32_t(__builtin_ctz(lanes.mask()))].operand;
  bool equal = true;
  lanes.forEach([&](DeviceThread &thread) { equal &= thread.operand == value; });
  lanes.forEach([&](DeviceThread &thread) { thread.result = equal ? lanes.mask() : 0; });
}

/// The lane that PTX's shfl.sync reads from, or `lane` itself if it is out of range. `mode`: 0 idx, 1 up, 2 down,
/// 3 bfly.
uint32_t shuffleSource(int mode, int32_t lane, int32_t operandB, int32_t operandC) {
  int32_t b = operandB & 31, c = operandC & 31, segment = operandC >> 8 & 31;
  int32_t last = (lane & segment) | (c & ~segment);
  int32_t first = lane & segment;
  int32_t source = lane;
  switch (mode) {
  case 0:
    source = first | (b & ~segment);
    break;
  case 1:
    source = lane - b;
    return uint32_t(source >= last ? source : lane); // upwards, c is the lowest lane
  case 2:
    source = lane + b;
    break;
  case 3:
    source = lane ^ b;
    break;
  }
  return uint32_t(source <= last ? source : lane);
}

/// A lane that reads from one that does not take part keeps its own value; PTX leaves it undefined.
void shuffle(Operation operation, Lanes lanes) {
  int mode = (int(operation) - int(Operation::ShuffleIndex32)) % 4;
  lanes.forEach([&](DeviceThread &thread) {
    uint32_t source = shuffleSource(mode, int32_t(thread.laneId), thread.lane, thread.clamp);
    thread.result = lanes.has(source) ? lanes[source].operand : thread.operand;
  });
}

void compute(Operation operation, Lanes lanes) {
  if (operation >= Operation::ShuffleIndex32)
    shuffle(operation, lanes);
  else if (operation >= Operation::MatchAll32)
    matchAll(lanes);
  else if (operation >= Operation::MatchAny32)
    matchAny(lanes);
  else if (operation >= Operation::VoteAll)
    vote(operation, lanes);
  else if (operation == Operation::ActiveMask)
    lanes.forEach([&](DeviceThread &thread) { thread.result = lanes.mask(); });
}

/// Completes group `number` of a warp; `self`, if not null, is its member that runs now.
void complete(Scheduler &scheduler, Block &block, Warp &warp, uint32_t number, const DeviceThread *self) {
  WarpGroup group = warp.groups[number];
  warp.groups[number] = warp.groups[--warp.groupCount];
  uint32_t first = uint32_t(&warp - block.warps.get()) * 32;
  Lanes lanes(&block.threads[first], group.arrived);
  if (block.races && group.operation != Operation::ActiveMask)
    block.races->meet(first, group.arrived);
  compute(group.operation, lanes);
  lanes.forEach([&](DeviceThread &thread) {
    if (&thread != self)
      scheduler.makeReady(thread);
  });
}

/// Returns the number of the group that waits for `operation` with `mask`, a new one if there is none.
uint32_t groupFor(Warp &warp, Operation operation, uint32_t mask) {
  for (uint32_t i = 0; i < warp.groupCount; ++i)
    if (warp.groups[i].operation == operation && warp.groups[i].mask == mask)
      return i;
  warp.groups[warp.groupCount] = {mask, 0, operation};
  return warp.groupCount++;
}

[[noreturn]] void failMask(RuntimeCall &call, Operation operation, const DeviceThread &self, const char *problem) {
  call.fail(CUDA_ERROR_LAUNCH_FAILED, [&] {
    char text[256];
    snprintf(text, sizeof text, "%s with mask %08x%s%s: lane %u of block %s, thread %s: %s", operationName(operation),
             self.mask, self.where ? " at " : "", self.where ? self.where : "", self.laneId,
             fortranIndex(self.blockIdx).c_str(), fortranIndex(self.threadIdx).c_str(), problem);
    return std::string(text);
  });
}

/// For CUFORT_CHECK: `thread` has ended although `group` waits for it, too.
void failEndedLane(const Block &block, const WarpGroup &group, const DeviceThread &thread) {
  const DeviceThread &waiting = (&thread - thread.laneId)[__builtin_ctz(group.arrived)];
  char text[256];
  snprintf(text, sizeof text, "%s with mask %08x at %s in block %s names lane %u, which has ended",
           operationName(group.operation), group.mask, waiting.where ? waiting.where : "an unknown place",
           fortranIndex(block.index).c_str(), thread.laneId);
  Worker::active()->launch().fail(CUDA_ERROR_LAUNCH_FAILED, text);
}

/// Meets the other lanes that `mask` names; the operands are in `self`, and then the result is.
void meet(RuntimeCall &call, DeviceThread &self, Operation operation, int32_t mask, const char *where) {
  Block &block = *self.block;
  Warp &warp = *self.warp;
  self.mask = uint32_t(mask);
  self.where = where;
  if (!(self.mask & bitOf(self)))
    failMask(call, operation, self, "the mask does not name the lane that executes it");
  if (block.launch->checks.sync && (self.mask & warp.existing & ~warp.alive))
    failMask(call, operation, self, "the mask names a lane that has ended");
  uint32_t number = groupFor(warp, operation, self.mask);
  WarpGroup &group = warp.groups[number];
  group.arrived |= bitOf(self);
  if (group.arrived == (group.mask & warp.alive))
    complete(call.scheduler(), block, warp, number, &self);
  else
    call.scheduler().wait(self, operation, where);
}

/// Meets with the operand `value`; returns the result.
uint64_t exchange(Operation operation, int32_t mask, uint64_t value, const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  self.operand = value;
  meet(call, self, operation, mask, where);
  return self.result;
}

uint64_t shuffleValue(Operation first, int32_t mode, int32_t mask, uint64_t value, int32_t lane, int32_t clamp,
                      const char *where) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  self.operand = value;
  self.lane = lane;
  self.clamp = clamp;
  meet(call, self, Operation(int(first) + (mode & 3)), mask, where);
  return self.result;
}

void settleActiveMask(Scheduler &scheduler, Block &block, Warp &warp) {
  if (warp.busy)
    return;
  for (uint32_t i = warp.groupCount; i-- > 0;)
    if (warp.groups[i].operation == Operation::ActiveMask)
      complete(scheduler, block, warp, i, nullptr);
}

} // namespace

namespace cufort::rt::emulated {

void laneIsWaiting(Scheduler &scheduler, DeviceThread &thread) {
  Warp &warp = *thread.warp;
  warp.busy &= ~bitOf(thread);
  if (warp.groupCount)
    settleActiveMask(scheduler, *thread.block, warp);
}

void laneIsBusy(DeviceThread &thread) { thread.warp->busy |= bitOf(thread); }

void leaveWarp(Scheduler &scheduler, DeviceThread &thread) {
  Block &block = *thread.block;
  Warp &warp = *thread.warp;
  for (uint32_t i = warp.groupCount; i-- > 0;) {
    WarpGroup &group = warp.groups[i];
    if (block.launch->checks.sync && isWarpOperation(group.operation) && (group.mask & bitOf(thread)))
      failEndedLane(block, group, thread);
    if (isWarpOperation(group.operation) && group.arrived == (group.mask & warp.alive))
      complete(scheduler, block, warp, i, nullptr);
  }
  settleActiveMask(scheduler, block, warp);
}

} // namespace cufort::rt::emulated

extern "C" {

void cufortEmuWarpBarrier(int32_t mask, const char *where) { exchange(Operation::WarpBarrier, mask, 0, where); }

int32_t cufortEmuVoteAll(int32_t mask, int32_t predicate, const char *where) {
  return int32_t(exchange(Operation::VoteAll, mask, predicate != 0, where));
}

int32_t cufortEmuVoteAny(int32_t mask, int32_t predicate, const char *where) {
  return int32_t(exchange(Operation::VoteAny, mask, predicate != 0, where));
}

int32_t cufortEmuVoteBallot(int32_t mask, int32_t predicate, const char *where) {
  return int32_t(exchange(Operation::VoteBallot, mask, predicate != 0, where));
}

int32_t cufortEmuMatchAny32(int32_t mask, int32_t value, const char *where) {
  return int32_t(exchange(Operation::MatchAny32, mask, uint32_t(value), where));
}

int32_t cufortEmuMatchAny64(int32_t mask, int64_t value, const char *where) {
  return int32_t(exchange(Operation::MatchAny64, mask, uint64_t(value), where));
}

int32_t cufortEmuMatchAll32(int32_t mask, int32_t value, int32_t *allEqual, const char *where) {
  int32_t result = int32_t(exchange(Operation::MatchAll32, mask, uint32_t(value), where));
  *allEqual = result != 0;
  return result;
}

int32_t cufortEmuMatchAll64(int32_t mask, int64_t value, int32_t *allEqual, const char *where) {
  int32_t result = int32_t(exchange(Operation::MatchAll64, mask, uint64_t(value), where));
  *allEqual = result != 0;
  return result;
}

int32_t cufortEmuShuffle32(int32_t mode, int32_t mask, int32_t value, int32_t lane, int32_t clamp, const char *where) {
  return int32_t(shuffleValue(Operation::ShuffleIndex32, mode, mask, uint32_t(value), lane, clamp, where));
}

int64_t cufortEmuShuffle64(int32_t mode, int32_t mask, int64_t value, int32_t lane, int32_t clamp, const char *where) {
  return int64_t(shuffleValue(Operation::ShuffleIndex64, mode, mask, uint64_t(value), lane, clamp, where));
}

// A lane waits here until every other live lane of its warp waits too, here or elsewhere, or gives way; the result
// names the lanes that called from the same place. That is what a GPU that brings lanes together where it can would
// report, and does not depend on the order in which the lanes run.
int32_t cufortEmuActiveMask(void) {
  auto callSite = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  RuntimeCall call;
  auto *self = static_cast<DeviceThread *>(cufortEmuThread);
  if (!self->block)
    return int32_t(bitOf(*self));
  Warp &warp = *self->warp;
  warp.groups[groupFor(warp, Operation::ActiveMask, uint32_t(callSite))].arrived |= bitOf(*self);
  call.scheduler().wait(*self, Operation::ActiveMask, nullptr);
  return int32_t(self->result);
}

} // extern "C"
