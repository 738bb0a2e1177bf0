// Asynchronous barriers and bulk copies on the emulated device, which does them at once: nothing is under way when the
// program asks for it.

#include "runtime/ABI/EmulatedABI.h"

extern "C" {

void cufortAsyncBarrierInit(void *barrier, int32_t count) { cufortEmuAsyncBarrierInit(barrier, count); }
int64_t cufortAsyncBarrierArrive(void *barrier) { return cufortEmuAsyncBarrierArrive(barrier, 0); }
int64_t cufortAsyncBarrierArriveExpect(void *barrier, int32_t bytes) {
  return cufortEmuAsyncBarrierArrive(barrier, bytes);
}
int32_t cufortAsyncBarrierWait(void *barrier, int64_t token) { return cufortEmuAsyncBarrierWait(barrier, token); }
int32_t cufortAsyncBarrierWaitFor(void *barrier, int64_t token, int32_t nanoseconds) {
  return cufortEmuAsyncBarrierWaitFor(barrier, token, nanoseconds);
}

void cufortProxyFence() {}
void cufortBulkCommit() {}
void cufortBulkWait() {}

void cufortBulkLoadBytes(void *barrier, const void *from, void *to, int32_t bytes) {
  cufortEmuAsyncBulkLoad(barrier, from, to, bytes, /*announced=*/0);
}

#define ELEMENTS_OF(size)                                                                                              \
  void cufortBulkLoad##size(void *barrier, const void *from, void *to, int32_t count) {                                \
    cufortEmuAsyncBulkLoad(barrier, from, to, size * count, /*announced=*/1);                                          \
  }                                                                                                                    \
  void cufortBulkStore##size(const void *from, void *to, int32_t count) {                                              \
    cufortEmuAsyncBulkStore(from, to, size * count);                                                                   \
  }

ELEMENTS_OF(1)
ELEMENTS_OF(2)
ELEMENTS_OF(4)
ELEMENTS_OF(8)
ELEMENTS_OF(16)

} // extern "C"
