// Asynchronous barriers, and the bulk copies between global and shared memory that they wait for, on GPUs.

#include "codegen/DeviceLibrary/Architecture.h"

namespace {

/// PTX takes 32-bit addresses in shared memory, and addresses in global memory that are not generic.
unsigned shared(const void *address) {
  return static_cast<unsigned>(
      reinterpret_cast<unsigned long>((__attribute__((address_space(3))) const char *)address));
}
unsigned long global(const void *address) {
  return reinterpret_cast<unsigned long>((__attribute__((address_space(1))) const char *)address);
}

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
                 : "r"(shared(barrier)), "l"(token), "r"(nanoseconds)
                 : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(shared(barrier)), "l"(token)
                 : "memory");
  return done != 0;
}

void commitBulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
void waitForBulk() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/// The bytes count for the phase of `barrier`, to which somebody announces them.
void loadBulk(void *barrier, const void *from, void *to, unsigned bytes) {
  requireArchitecture(hopper);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared(to)),
               "l"(global(from)), "r"(bytes), "r"(shared(barrier))
               : "memory");
}

void announce(void *barrier, unsigned bytes) {
  requireArchitecture(hopper);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(bytes)
               : "memory");
}

/// Done when it returns. The fence is for what the block wrote into shared memory before its last barrier.
void storeBulk(const void *from, void *to, unsigned bytes) {
  requireArchitecture(hopper);
  fenceForBulkCopies();
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global(to)), "r"(shared(from)),
               "r"(bytes)
               : "memory");
  commitBulk();
  waitForBulk();
}

} // namespace

/// The barrier is initialised for bulk copies, too.
CUFX_OPERATION void cufortAsyncBarrierInit(void *barrier, unsigned count) {
  requireArchitecture(ampere);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(count) : "memory");
  fenceForBulkCopies();
}

CUFX_OPERATION unsigned long cufortAsyncBarrierArrive(void *barrier) {
  requireArchitecture(ampere);
  unsigned long token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(shared(barrier)) : "memory");
  return token;
}

CUFX_OPERATION unsigned long cufortAsyncBarrierArriveExpect(void *barrier, unsigned bytes) {
  requireArchitecture(hopper);
  unsigned long token;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(shared(barrier)), "r"(bytes)
               : "memory");
  return token;
}

CUFX_OPERATION int cufortAsyncBarrierWait(void *barrier, unsigned long token) {
  requireArchitecture(ampere);
  constexpr unsigned millisecond = 1000000;
  while (!isPhaseOver(barrier, token, millisecond)) {
  }
  return 1;
}

CUFX_OPERATION int cufortAsyncBarrierWaitFor(void *barrier, unsigned long token, unsigned nanoseconds) {
  requireArchitecture(ampere);
  return isPhaseOver(barrier, token, nanoseconds);
}

CUFX_OPERATION void cufortProxyFence() { fenceForBulkCopies(); }

CUFX_OPERATION void cufortBulkLoadBytes(void *barrier, const void *from, void *to, unsigned bytes) {
  loadBulk(barrier, from, to, bytes);
}

#define ELEMENTS_OF(size)                                                                                              \
  CUFX_OPERATION void cufortBulkLoad##size(void *barrier, const void *from, void *to, unsigned count) {                \
    announce(barrier, size * count);                                                                                   \
    loadBulk(barrier, from, to, size * count);                                                                         \
  }                                                                                                                    \
  CUFX_OPERATION void cufortBulkStore##size(const void *from, void *to, unsigned count) {                              \
    storeBulk(from, to, size * count);                                                                                 \
  }

ELEMENTS_OF(1)
ELEMENTS_OF(2)
ELEMENTS_OF(4)
ELEMENTS_OF(8)
ELEMENTS_OF(16)

CUFX_OPERATION void cufortBulkCommit() {
  requireArchitecture(hopper);
  commitBulk();
}

CUFX_OPERATION void cufortBulkWait() {
  requireArchitecture(hopper);
  waitForBulk();
}
