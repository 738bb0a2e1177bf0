// Asynchronous copies from global to shared memory on GPUs. GPUs before compute capability 8.0 copy at once.

#include "codegen/DeviceLibrary/Architecture.h"
#include "codegen/DeviceLibrary/Entry.h"
#include "codegen/DeviceLibrary/GpuAddresses.h"

using namespace cufort::device;

namespace {

/// The GPU's instruction for 4, 8 or 16 bytes.
template <int bytes>
void start(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :
               : "r"(sharedAddress(to)), "l"(globalAddress(from)), "n"(bytes)
               : "memory");
}

bool hasInstruction() { return architecture() >= ampere; }

template <typename Word>
void copy(void *to, const void *from) {
  if (hasInstruction())
    start<sizeof(Word)>(to, from);
  else
    *static_cast<Word *>(to) = *static_cast<const Word *>(from);
}

template <int pending>
void wait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}

} // namespace

struct alignas(16) FourWords {
  unsigned words[4];
};

CUFX_ENTRY void cufort_async_copy_2(void *to, const void *from) {
  *static_cast<unsigned short *>(to) = *static_cast<const unsigned short *>(from);
}
CUFX_ENTRY void cufort_async_copy_4(void *to, const void *from) { copy<unsigned>(to, from); }
CUFX_ENTRY void cufort_async_copy_8(void *to, const void *from) { copy<unsigned long>(to, from); }
CUFX_ENTRY void cufort_async_copy_16(void *to, const void *from) { copy<FourWords>(to, from); }

CUFX_ENTRY void cufort_async_commit() {
  if (hasInstruction())
    asm volatile("cp.async.commit_group;" : : : "memory");
}

/// The instruction takes a constant; inlining leaves one case where the program has one.
CUFX_ENTRY void cufort_async_wait(int pending) {
  if (!hasInstruction())
    return;
  switch (pending) {
  case 1:
    return wait<1>();
  case 2:
    return wait<2>();
  case 3:
    return wait<3>();
  case 4:
    return wait<4>();
  case 5:
    return wait<5>();
  case 6:
    return wait<6>();
  case 7:
    return wait<7>();
  default: // more are waited for than need be
    return wait<0>();
  }
}
