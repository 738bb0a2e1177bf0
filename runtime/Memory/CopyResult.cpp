#include "runtime/Memory/CopyResult.h"

namespace cufort::rt {

/// Returns "" if `touched` lies inside one piece of device memory, or in memory that the driver knows nothing of.
static std::string misfit(const Current &current, Touched touched, const char *side) {
  auto address = reinterpret_cast<CUdeviceptr>(touched.address);
  CUdeviceptr base = 0;
  size_t size = 0;
  if (!touched.bytes || current.table->memGetAddressRange(&base, &size, address) != CUDA_SUCCESS)
    return "";
  size_t room = size - (address - base);
  if (touched.bytes <= room)
    return "";
  return std::to_string(touched.bytes) + " bytes, but the " + side + " has " + std::to_string(room) + " bytes" +
         (room < size ? " from there to the end of its device memory" : " of device memory");
}

Result copyResult(const Current &current, CUresult result, const char *operation, Touched dst, Touched src) {
  if (result != CUDA_ERROR_INVALID_VALUE)
    return Result(result, operation);
  std::string detail = misfit(current, dst, "target");
  if (detail.empty())
    detail = misfit(current, src, "source");
  return Result(toCudaError(result), operation, detail);
}

Result fillResult(const Current &current, CUresult result, const char *operation, Touched dst) {
  return copyResult(current, result, operation, dst, {nullptr, 0});
}

} // namespace cufort::rt
