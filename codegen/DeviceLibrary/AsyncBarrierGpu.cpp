// Asynchronous barriers, and the bulk copies between global and shared memory that they wait for, on GPUs.

#include "codegen/DeviceLibrary/Architecture.h"
#include "codegen/DeviceLibrary/Entry.h"
#include "codegen/DeviceLibrary/GpuAddresses.h"

using namespace cufort::device;

namespace {

/// Makes what this thread knows of shared memory known to the unit that does bulk copies.
void fenceForBulkCopies() {
  if (architecture() >= hopper)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// True if the phase of `token` is over. Waits for it, for `nanoseconds` at most.
bool isPhaseOver(void *barrier, unsigned long token, unsigned nanoseconds) {
  unsigned done;
  if (architecture() >= hopper)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.shared::cta.b64 p, [%1], %2, %3;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "l"(token), "r"(nanoseconds)
                 : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "l"(token)
                 : "memory");
  return done != 0;
}

void commitBulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
void waitForBulk() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/// The bytes count for the phase of `barrier`, to which somebody announces them.
void loadBulk(void *barrier, const void *from, void *to, unsigned bytes) {
  requireArchitecture(hopper);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   sharedAddress(to)),
               "l"(globalAddress(from)), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}

void announce(void *barrier, unsigned bytes) {
  requireArchitecture(hopper);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes)
               : "memory");
}

/// Done when it returns. The fence is for what the block wrote into shared memory before its last barrier.
void storeBulk(const void *from, void *to, unsigned bytes) {
  requireArchitecture(hopper);
  fenceForBulkCopies();
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(globalAddress(to)),
               "r"(sharedAddress(from)), "r"(bytes)
               : "memory");
  commitBulk();
  waitForBulk();
}

} // namespace

/// The barrier is initialised for bulk copies, too.
CUFX_ENTRY void cufortAsyncBarrierInit(void *barrier, unsigned count) {
  requireArchitecture(ampere);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count) : "memory");
  fenceForBulkCopies();
}

CUFX_ENTRY unsigned long cufortAsyncBarrierArrive(void *barrier) {
  requireArchitecture(ampere);
  unsigned long token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(sharedAddress(barrier)) : "memory");
  return token;
}

CUFX_ENTRY unsigned long cufortAsyncBarrierArriveExpect(void *barrier, unsigned bytes) {
  requireArchitecture(hopper);
  unsigned long token;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(sharedAddress(barrier)), "r"(bytes)
               : "memory");
  return token;
}

CUFX_ENTRY int cufortAsyncBarrierWait(void *barrier, unsigned long token) {
  requireArchitecture(ampere);
  constexpr unsigned millisecond = 1000000;
  while (!isPhaseOver(barrier, token, millisecond)) {
  }
  return 1;
}

CUFX_ENTRY int cufortAsyncBarrierWaitFor(void *barrier, unsigned long token, unsigned nanoseconds) {
  requireArchitecture(ampere);
  return isPhaseOver(barrier, token, nanoseconds);
}

CUFX_ENTRY void cufortProxyFence() { fenceForBulkCopies(); }

CUFX_ENTRY void cufortBulkLoadBytes(void *barrier, const void *from, void *to, unsigned bytes) {
  loadBulk(barrier, from, to, bytes);
}

#define ELEMENTS_OF(size)                                                                                              \
  CUFX_ENTRY void cufortBulkLoad##size(void *barrier, const void *from, void *to, unsigned count) {                    \
    announce(barrier, size *count);                                                                                    \
    loadBulk(barrier, from, to, size *count);                                                                          \
  }                                                                                                                    \
  CUFX_ENTRY void cufortBulkStore##size(const void *from, void *to, unsigned count) {                                  \
    storeBulk(from, to, size *count);                                                                                  \
  }

ELEMENTS_OF(1)
ELEMENTS_OF(2)
ELEMENTS_OF(4)
ELEMENTS_OF(8)
ELEMENTS_OF(16)

CUFX_ENTRY void cufortBulkCommit() {
  requireArchitecture(hopper);
  commitBulk();
}

CUFX_ENTRY void cufortBulkWait() {
  requireArchitecture(hopper);
  waitForBulk();
}
