#include "runtime/Module/DeviceFacts.h"
#include "runtime/ABI/DeviceFacts.h"
#include "runtime/Module/ImageTable.h"

namespace cufort::rt {

namespace {

Result factsOf(const Current &current, CufortDeviceFacts &facts) {
  const DriverTable &table = *current.table;
  CUfunc_cache cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  facts = {};
  facts.device = current.device;
  CUresult result = table.deviceGetCount(&facts.deviceCount);
  if (result == CUDA_SUCCESS)
    result = table.ctxGetCacheConfig(&cacheConfig);
  facts.cacheConfig = cacheConfig;
  for (int i = 0; i < CUFORT_DEVICE_LIMITS && result == CUDA_SUCCESS; ++i) {
    size_t limit = 0;
    result = table.ctxGetLimit(&limit, static_cast<CUlimit>(i));
    facts.limits[i] = static_cast<long>(limit);
  }
  return Result(result, "asking for the settings of the device");
}

/// What updateDeviceFacts carries from entry to entry.
struct Update {
  const Current &current;
  const ImageRecord *last;
  Result result;
};

bool updateImage(EntryRecord &record, void *data) {
  auto &update = *static_cast<Update *>(data);
  CUmodule module = record.image->modules[update.current.device];
  if (!module || record.image == update.last)
    return false;
  update.last = record.image;
  update.result = pushDeviceFacts(update.current, module);
  return !update.result;
}

} // namespace

Result pushDeviceFacts(const Current &current, CUmodule module) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (current.table->moduleGetGlobal(&address, &bytes, module, CUFORT_DEVICE_FACTS_NAME) != CUDA_SUCCESS)
    return {};
  CufortDeviceFacts facts;
  if (Result result = factsOf(current, facts); !result)
    return result;
  return Result(current.table->memcpyHtoD(address, &facts, sizeof facts), "telling device code about the device");
}

Result updateDeviceFacts(const Current &current) {
  Update update = {current, nullptr, {}};
  forEachRecord(updateImage, &update);
  return update.result;
}

} // namespace cufort::rt
