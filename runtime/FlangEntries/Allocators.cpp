#include "runtime/FlangEntries/Allocators.h"
#include "runtime/Context/AtExit.h"
#include "runtime/Context/Context.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Memory/Alignment.h"
#include "runtime/Memory/Allocation.h"
#include <cstdlib>
#include <mutex>

namespace Fortran::runtime {

/// Flang's table of allocators. Its header is not installed, so this declares the part that is used.
struct Allocator_t {
  void *(*alloc)(std::size_t bytes, std::int64_t *stream);
  void (*free)(void *address);
};
struct AllocatorRegistry {
  void Register(int position, Allocator_t allocator);
  Allocator_t allocators[1]; // and more
};
extern AllocatorRegistry allocatorRegistry;

} // namespace Fortran::runtime

namespace cufort::rt {

namespace {

/// Never destroyed with its thread: an object that ends a thread may still deallocate.
thread_local Result *failure = nullptr;
thread_local const int64_t *allocationStream = nullptr;

void keepFailure(Result result) {
  if (result.ok())
    return;
  delete failure;
  failure = new Result(std::move(result));
}

template <MemoryKind kind>
void *allocate(size_t bytes, int64_t *stream) {
  void *address = nullptr;
  const int64_t *on = stream ? stream : allocationStream;
  keepFailure(kind == MemoryKind::Device && on ? allocateOnStream(bytes, *on, address)
                                               : allocateMemory(kind, bytes, address));
  return address;
}

void release(void *address) { keepFailure(releaseMemory(address)); }

bool isHostMemory(void *address) {
  Allocation allocation;
  if (findAllocation(address, allocation))
    return allocation.kind == MemoryKind::Pinned;
  Current current;
  unsigned type = 0;
  return currentContext(current).ok() &&
         current.table->pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                            reinterpret_cast<uintptr_t>(address)) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST;
}

/// A device array may be a view of mapped host memory, by c_f_pointer. That memory is its owner's to free.
void releaseDeviceArray(void *address) {
  if (address && !programIsEnding() && !isHostMemory(address))
    release(address);
}

__attribute__((constructor)) void registerAtStart() { registerFlangAllocators(); }

} // namespace

void registerFlangAllocators() {
  auto &registry = Fortran::runtime::allocatorRegistry;
  registry.Register(FlangPinned, {allocate<MemoryKind::Pinned>, release});
  registry.Register(FlangDevice, {allocate<MemoryKind::Device>, releaseDeviceArray});
  registry.Register(FlangManaged, {allocate<MemoryKind::Managed>, release});
  registry.Register(FlangUnified, {allocate<MemoryKind::Unified>, release});
}

void alignHostAllocations() {
  static std::once_flag once;
  // The first entry is that of host memory. Register() takes all others.
  std::call_once(once, [] {
    Fortran::runtime::allocatorRegistry.allocators[0] = {[](size_t bytes, int64_t *) { return alignedMalloc(bytes); },
                                                         std::free};
  });
}

void setAllocationStream(const int64_t *stream) { allocationStream = stream; }

Result takeAllocationFailure() {
  Result result;
  if (failure)
    result = std::move(*failure);
  delete failure;
  failure = nullptr;
  return result;
}

} // namespace cufort::rt
