#include "runtime/Memory/Alignment.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/Allocators.h"
#include "runtime/Stream/ErrorState.h"
#include <cstdlib>

namespace cufort::rt {

static thread_local size_t alignment = 1;

size_t wantedAlignment() { return alignment; }

void *alignedMalloc(size_t bytes) {
  void *address = nullptr;
  if (alignment <= alignof(max_align_t))
    return std::malloc(bytes);
  return posix_memalign(&address, alignment, bytes) ? nullptr : address;
}

} // namespace cufort::rt

using namespace cufort::rt;

extern "C" {

// The statements around an ALLOCATE with ALIGN=, see frontend/Parse/AlignSpecifiers.cpp.
void cufort_begin_align_(const int64_t *bytes) {
  constexpr int64_t largest = int64_t(1) << 40;
  alignHostAllocations();
  alignment = 1;
  while (static_cast<int64_t>(alignment) < *bytes && static_cast<int64_t>(alignment) < largest)
    alignment *= 2;
}

void cufort_end_align_() { alignment = 1; }

void *cufortHostAlloc(size_t bytes, const char *file, int32_t line) {
  void *address = alignedMalloc(bytes ? bytes : 1);
  if (!address)
    failProgram(file, line, "ALLOCATE: no memory for " + std::to_string(bytes) + " bytes");
  return address;
}

} // extern "C"
