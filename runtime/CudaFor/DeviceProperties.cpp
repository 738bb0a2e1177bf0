// type(cudaDeviceProp): filled from the driver's device attributes, and matched against.
#include "runtime/CudaFor/DeviceProperties.h"
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include <cstring>

namespace cufort::rt {

namespace {

/// Where an attribute goes: bytes from the beginning of DeviceProperties, 4 or 8 of them.
struct AttributeSlot {
  CUdevice_attribute attribute;
  size_t offset, bytes;
};

/// Adds the slots of one component, `bytes` each.
template <size_t count>
void addSlots(AttributeSlot *&next, size_t offset, size_t bytes, const CUdevice_attribute (&attributes)[count]) {
  for (CUdevice_attribute attribute : attributes) {
    *next++ = {attribute, offset, bytes};
    offset += bytes;
  }
}

struct SlotTable {
  AttributeSlot slots[160];
  AttributeSlot *end = slots;

  SlotTable() {
#define CUFORT_PROPERTY_INT(component, attribute)                                                                      \
  addSlots<1>(end, offsetof(DeviceProperties, component), sizeof(int32_t), {attribute});
#define CUFORT_PROPERTY_SIZE(component, attribute)                                                                     \
  addSlots<1>(end, offsetof(DeviceProperties, component), sizeof(int64_t), {attribute});
#define CUFORT_PROPERTY_INTS(component, count, ...)                                                                    \
  addSlots<count>(end, offsetof(DeviceProperties, component), sizeof(int32_t), {__VA_ARGS__});
#include "runtime/CudaFor/DeviceProperties.def"
  }
};

const SlotTable &slotTable() {
  static const SlotTable *table = new SlotTable;
  return *table;
}

/// An attribute that the driver does not know is 0: programs ask for properties to learn what there is.
void fillAttributes(const DriverTable &table, CUdevice device, DeviceProperties &properties) {
  for (const AttributeSlot *slot = slotTable().slots; slot != slotTable().end; ++slot) {
    int value = 0;
    if (table.deviceGetAttribute(&value, slot->attribute, device) != CUDA_SUCCESS)
      continue;
    char *target = reinterpret_cast<char *>(&properties) + slot->offset;
    int64_t wide = value;
    // Little endian: the low four bytes of `wide` are `value`.
    std::memcpy(target, &wide, slot->bytes);
  }
}

/// How many of the things that a program asks a device for are `have`'s. Components that are 0 ask for nothing.
int matches(const DeviceProperties &have, const DeviceProperties &want) {
  int count = 0;
  if (want.major > 0)
    count += have.major > want.major || (have.major == want.major && have.minor >= want.minor);
  count += want.totalGlobalMem > 0 && have.totalGlobalMem >= want.totalGlobalMem;
  count += want.multiProcessorCount > 0 && have.multiProcessorCount >= want.multiProcessorCount;
  count += want.clockRate > 0 && have.clockRate >= want.clockRate;
  count += want.sharedMemPerBlock > 0 && have.sharedMemPerBlock >= want.sharedMemPerBlock;
  count += want.regsPerBlock > 0 && have.regsPerBlock >= want.regsPerBlock;
  count += want.totalConstMem > 0 && have.totalConstMem >= want.totalConstMem;
  return count;
}

} // namespace

Result fillProperties(const DriverTable &table, int ordinal, DeviceProperties &properties) {
  CUdevice device = 0;
  if (CUresult result = table.deviceGet(&device, ordinal); result != CUDA_SUCCESS)
    return Result(result, "cuDeviceGet");
  properties = {};
  std::memset(properties.name, ' ', sizeof properties.name);
  char name[sizeof properties.name] = {};
  if (CUresult result = table.deviceGetName(name, sizeof name, device); result != CUDA_SUCCESS)
    return Result(result, "cuDeviceGetName");
  std::memcpy(properties.name, name, strnlen(name, sizeof name));
  size_t bytes = 0;
  if (CUresult result = table.deviceTotalMem(&bytes, device); result != CUDA_SUCCESS)
    return Result(result, "cuDeviceTotalMem");
  properties.totalGlobalMem = static_cast<int64_t>(bytes);
  CUuuid uuid = {};
  table.deviceGetUuid(&uuid, device);
  std::memcpy(properties.uuid, uuid.bytes, sizeof uuid.bytes);
  fillAttributes(table, device, properties);
  return {};
}

extern "C" int cufort_cudaGetDeviceProperties(DeviceProperties *properties, int device) {
  return withDriver([=](const DriverTable &table) { return fillProperties(table, device, *properties); });
}

extern "C" int cufort_cudaChooseDevice(int *device, const DeviceProperties *wanted) {
  return withDriver([=](const DriverTable &table) {
    int count = 0, best = -1;
    Result result = deviceCount(count);
    for (int ordinal = 0; ordinal < count && result.ok(); ++ordinal) {
      DeviceProperties properties;
      result = fillProperties(table, ordinal, properties);
      if (int score = matches(properties, *wanted); result.ok() && score > best) {
        best = score;
        *device = ordinal;
      }
    }
    return result;
  });
}

} // namespace cufort::rt
