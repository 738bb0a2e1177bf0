#include "runtime/FlangEntries/Temporary.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Memory/CopyPlan.h"
#include <cstdlib>
#include <cstring>

namespace cufort::rt {

namespace {

thread_local bool isTemporary = false;

/// Values up to this size are written by fills, which keep them; for larger ones a copy goes to the graph for good.
constexpr size_t smallValue = 16;

Result makeBuffer(size_t bytes, char *&buffer) {
  buffer = static_cast<char *>(std::malloc(bytes));
  return buffer ? Result() : Result(cudaErrorMemoryAllocation, "malloc", std::to_string(bytes) + " bytes for a graph");
}

} // namespace

bool takeTemporary() {
  bool was = isTemporary;
  isTemporary = false;
  return was;
}

Result copyTemporaryInGraph(const Current &current, void *dst, const void *src, size_t bytes, int64_t stream) {
  if (bytes <= smallValue)
    return fillElements(current, reinterpret_cast<CUdeviceptr>(dst), src, bytes, 1, stream);
  char *kept = nullptr;
  if (Result result = makeBuffer(bytes, kept); !result)
    return result;
  std::memcpy(kept, src, bytes);
  return copyBytes(current, dst, kept, bytes, CopyMode::HostToDevice, stream);
}

Result copyTemporaryInGraph(const Current &current, const StridedArray &dst, const StridedArray &src, int64_t stream) {
  size_t bytes = src.elements() * src.elementBytes;
  if (bytes == 0)
    return {};
  char *buffer = nullptr;
  if (Result result = makeBuffer(bytes, buffer); !result)
    return result;
  // In the order of the target's memory, the device copies it without another buffer.
  StridedArray kept = packedLike(dst, buffer);
  copyOnHost(makeCopyPlan(kept, src));
  return copyArray(current, dst, kept, CopyMode::HostToDevice, stream);
}

} // namespace cufort::rt

extern "C" void cufortNoteTemporary() { cufort::rt::isTemporary = true; }
