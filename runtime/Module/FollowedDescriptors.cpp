#include "runtime/Module/FollowedDescriptors.h"
#include <cstring>

namespace cufort::rt {

void FollowedDescriptors::add(const void *host, CUdeviceptr copy, size_t bytes) {
  all.push_back({host, copy, std::vector<char>(bytes)});
}

Result FollowedDescriptors::update(const Current &current) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Followed &descriptor : all) {
    size_t bytes = descriptor.last.size();
    if (descriptor.isKnown && !std::memcmp(descriptor.last.data(), descriptor.host, bytes))
      continue;
    std::memcpy(descriptor.last.data(), descriptor.host, bytes);
    CUresult result = current.table->memcpyHtoD(descriptor.copy, descriptor.last.data(), bytes);
    descriptor.isKnown = result == CUDA_SUCCESS;
    if (!descriptor.isKnown)
      return Result(result, "copying an array descriptor to the device");
  }
  return {};
}

} // namespace cufort::rt
