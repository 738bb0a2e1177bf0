// Asynchronous barriers (PTX's mbarrier), and the bulk copies that they wait for.
//
// A barrier is a word of shared memory: phases follow one another, and one ends when all expected threads have arrived
// and all expected bytes have been copied. The threads that use it belong to one block or cluster, which runs on one
// host thread: the word needs no atomic operations. Copies are done at the call.
#include "runtime/Emulated/Cluster.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"
#include <chrono>
#include <cstring>

using namespace cufort::rt;
using namespace cufort::rt::emulated;

namespace {

constexpr uint32_t maxArrivals = (1 << 20) - 1;
constexpr uintptr_t bulkAlignment = 16;

/// Device code sees an integer(8) whose contents mean nothing to it; a token is one, too.
struct BarrierWord {
  uint64_t phase : 3;
  uint64_t expected : 20;
  uint64_t pending : 20; ///< threads that have not arrived in this phase
  int64_t missing : 21;  ///< bytes that have been announced and not copied; below 0 if it is the other way round
};
static_assert(sizeof(BarrierWord) == sizeof(int64_t), "what Fortran gives a barrier");

[[noreturn]] void fail(RuntimeCall &call, const char *operation, const char *problem) {
  call.fail(CUDA_ERROR_ILLEGAL_ADDRESS,
            [&] { return std::string(operation) + ": " + problem + " (" + placeOf(*cufortEmuThread) + ")"; });
}

/// Calls `use` for the blocks that may use a barrier of `block`.
template <typename Use>
void forEachNeighbour(Block &block, Use use) {
  if (!block.cluster)
    return use(block);
  for (Block *each : block.cluster->blocks)
    use(*each);
}

bool isShared(DeviceThread &self, const void *address, size_t bytes) {
  bool found = false;
  auto *first = static_cast<const char *>(address);
  size_t size = size_t(self.dynamicShared - self.sharedBase) + self.dynamicSharedBytes;
  forEachNeighbour(*self.block, [&](Block &block) {
    const char *base = block.shared.base();
    found |= first >= base && first + bytes <= base + size;
  });
  return found;
}

BarrierWord &barrierAt(RuntimeCall &call, DeviceThread &self, void *address, const char *operation) {
  if (!isShared(self, address, sizeof(BarrierWord)) || reinterpret_cast<uintptr_t>(address) % sizeof(BarrierWord))
    fail(call, operation, "the barrier is not in shared memory, or not aligned");
  return *static_cast<BarrierWord *>(address);
}

/// Begins the next phase if this one is over, and lets the threads go on that wait for it.
void settle(RuntimeCall &call, DeviceThread &self, BarrierWord &barrier) {
  if (barrier.pending || barrier.missing)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  forEachNeighbour(*self.block, [&](Block &block) {
    for (uint32_t i = 0; i < block.next; ++i) {
      DeviceThread &thread = block.threads[i];
      if (thread.ended || thread.waitsFor != Operation::AsyncBarrier ||
          thread.operand != reinterpret_cast<uint64_t>(&barrier))
        continue;
      thread.waitsFor = Operation::None;
      call.scheduler().makeReady(thread);
    }
  });
}

int64_t tokenOf(const BarrierWord &barrier) {
  int64_t token;
  memcpy(&token, &barrier, sizeof token);
  return token;
}

bool isPhaseOver(const BarrierWord &barrier, int64_t token) {
  BarrierWord then;
  memcpy(&then, &token, sizeof then);
  return barrier.phase != then.phase;
}

/// Copies memory that device code has named.
void copyBulk(RuntimeCall &call, DeviceThread &self, const void *from, void *to, const void *shared, int32_t bytes,
              const char *operation) {
  auto aligned = [](const void *address) { return reinterpret_cast<uintptr_t>(address) % bulkAlignment == 0; };
  if (bytes < 0 || bytes % int32_t(bulkAlignment))
    fail(call, operation, "the number of bytes is no multiple of 16");
  if (!aligned(from) || !aligned(to))
    fail(call, operation, "the address of a bulk copy is no multiple of 16");
  if (!isShared(self, shared, size_t(bytes)))
    fail(call, operation, "one side of the copy is not in shared memory");
  call.worker().setMode(Mode::UserMemory);
  memcpy(to, from, size_t(bytes));
  call.worker().setMode(Mode::Runtime);
}

} // namespace

extern "C" {

void cufortEmuAsyncBarrierInit(void *address, int32_t count) {
  RuntimeCall call;
  BarrierWord &barrier = barrierAt(call, call.thread(), address, "barrier_init");
  if (count < 1 || uint32_t(count) > maxArrivals)
    fail(call, "barrier_init", "the number of arrivals is not between 1 and 1048575");
  barrier = {};
  barrier.expected = barrier.pending = uint32_t(count);
}

int64_t cufortEmuAsyncBarrierArrive(void *address, int32_t bytes) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  BarrierWord &barrier = barrierAt(call, self, address, "barrier_arrive");
  if (barrier.pending == 0)
    fail(call, "barrier_arrive", "more arrivals in one phase than barrier_init was told, or no barrier_init");
  self.block->noteAtomic(self);
  barrier.missing += bytes;
  int64_t token = tokenOf(barrier);
  --barrier.pending;
  settle(call, self, barrier);
  return token;
}

int32_t cufortEmuAsyncBarrierWait(void *address, int64_t token) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  BarrierWord &barrier = barrierAt(call, self, address, "barrier_try_wait");
  if (!isPhaseOver(barrier, token)) {
    self.operand = reinterpret_cast<uint64_t>(address);
    call.scheduler().wait(self, Operation::AsyncBarrier, nullptr);
  }
  self.block->noteAtomic(self);
  return 1;
}

int32_t cufortEmuAsyncBarrierWaitFor(void *address, int64_t token, int32_t nanoseconds) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  const BarrierWord &barrier = barrierAt(call, self, address, "barrier_try_wait_sleep");
  auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(uint32_t(nanoseconds));
  while (!isPhaseOver(barrier, token))
    if (!call.scheduler().yield(self) || std::chrono::steady_clock::now() > end)
      break;
  self.block->noteAtomic(self);
  return isPhaseOver(barrier, token);
}

// What is announced is there at once.
void cufortEmuAsyncBulkLoad(void *address, const void *from, void *to, int32_t bytes, int32_t announced) {
  RuntimeCall call;
  DeviceThread &self = call.thread();
  const char *operation = announced ? "tma_bulk_load" : "tma_bulk_g2s";
  BarrierWord &barrier = barrierAt(call, self, address, operation);
  copyBulk(call, self, from, to, to, bytes, operation);
  if (announced)
    return;
  barrier.missing -= bytes;
  settle(call, self, barrier);
}

void cufortEmuAsyncBulkStore(const void *from, void *to, int32_t bytes) {
  RuntimeCall call;
  copyBulk(call, call.thread(), from, to, from, bytes, "tma_bulk_store");
}

} // extern "C"
