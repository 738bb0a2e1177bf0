#include "runtime/Module/FollowedDescriptors.h"
#include "runtime/Module/DeviceDescriptor.h"
#include <cstring>

namespace cufort::rt {

void FollowedDescriptors::add(const void *host, size_t bytes, CUdeviceptr copy, size_t room,
                              std::atomic<int32_t> &strides) {
  all.push_back({host, copy, room, &strides, std::vector<char>(bytes)});
}

Result FollowedDescriptors::update(const Current &current) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Followed &descriptor : all) {
    size_t bytes = descriptor.last.size();
    if (descriptor.isKnown && !std::memcmp(descriptor.last.data(), descriptor.host, bytes))
      continue;
    std::memcpy(descriptor.last.data(), descriptor.host, bytes);
    DeviceDescriptor inDevice(descriptor.last.data(), bytes, descriptor.room);
    CUresult result = current.table->memcpyHtoD(descriptor.copy, inDevice.data(), inDevice.size());
    descriptor.isKnown = result == CUDA_SUCCESS;
    descriptor.strides->store(descriptor.isKnown ? inDevice.strides() : 0, std::memory_order_relaxed);
    if (!descriptor.isKnown)
      return Result(result, "copying an array descriptor to the device");
  }
  return {};
}

} // namespace cufort::rt
