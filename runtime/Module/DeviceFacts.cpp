#include "runtime/Module/DeviceFacts.h"
#include "runtime/ABI/DeviceFacts.h"
#include "runtime/CudaFor/DeviceProperties.h"
#include "runtime/Module/ImageTable.h"
#include <cstring>
#include <memory>

namespace cufort::rt {

namespace {

static_assert(sizeof(DeviceProperties) == sizeof(CufortDeviceProperties::words[0]),
              "device code copies that many bytes");
static_assert(static_cast<int>(CufortMostDevices) == maxDevices, "device code knows as many devices");

CufortAnswer answer(CUresult result, int64_t value) {
  int32_t code = toCudaError(result);
  return {code == cudaSuccess ? value : 0, code, 0};
}

Result collectFacts(const Current &current, CufortDeviceFacts &facts) {
  const DriverTable &table = *current.table;
  facts = {};
  facts.device = current.device;
  if (Result result = deviceCount(facts.deviceCount); !result)
    return result;
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
  CUresult result = table.ctxGetCacheConfig(&config);
  facts.cacheConfig = answer(result, config);
  for (int limit = 0; limit < CufortLimits; ++limit) {
    size_t value = 0;
    result = table.ctxGetLimit(&value, static_cast<CUlimit>(limit));
    facts.limits[limit] = answer(result, static_cast<int64_t>(value));
  }
  return {};
}

Result collectProperties(const Current &current, CufortDeviceProperties &all) {
  int count = 0;
  if (Result result = deviceCount(count); !result)
    return result;
  for (int device = 0; device < count; ++device) {
    DeviceProperties properties;
    if (Result result = fillProperties(*current.table, device, properties); !result)
      return result;
    std::memcpy(all.words[device], &properties, sizeof properties);
  }
  return {};
}

/// The address of the variable `name` of `module`, or 0 if it has none of that size.
CUdeviceptr addressOf(const Current &current, CUmodule module, const char *name, size_t bytes) {
  CUdeviceptr address = 0;
  size_t found = 0;
  CUresult result = current.table->moduleGetGlobal(&address, &found, module, name);
  return result == CUDA_SUCCESS && found == bytes ? address : 0;
}

/// Has `collect` fill the variable `name` of `module`, if there is one.
template <typename Facts>
Result push(const Current &current, CUmodule module, const char *name, Result (*collect)(const Current &, Facts &)) {
  CUdeviceptr address = addressOf(current, module, name, sizeof(Facts));
  if (!address)
    return {};
  auto facts = std::make_unique<Facts>();
  if (Result result = collect(current, *facts); !result)
    return result;
  return Result(current.table->memcpyHtoD(address, facts.get(), sizeof(Facts)), "telling device code of its device");
}

} // namespace

Result pushDeviceFacts(const Current &current, CUmodule module) {
  Result result = push(current, module, CUFORT_DEVICE_FACTS, collectFacts);
  return result.ok() ? push(current, module, CUFORT_DEVICE_PROPERTIES, collectProperties) : result;
}

Result refreshDeviceFacts(const Current &current) {
  struct Refresh {
    const Current &current;
    const ImageRecord *last;
    Result result;
  } refresh{current, nullptr, {}};
  auto visit = [](EntryRecord &record, void *data) {
    auto &refresh = *static_cast<Refresh *>(data);
    // The entries of an image follow one another.
    if (record.image == refresh.last)
      return false;
    refresh.last = record.image;
    if (!record.image->asksDevice)
      return false;
    if (CUmodule module = record.image->modules[refresh.current.device])
      refresh.result = push(refresh.current, module, CUFORT_DEVICE_FACTS, collectFacts);
    return !refresh.result.ok();
  };
  forEachRecord(visit, &refresh);
  return refresh.result;
}

} // namespace cufort::rt
