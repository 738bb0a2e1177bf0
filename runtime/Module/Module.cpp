#include "runtime/Module/Module.h"
#include "runtime/Module/Alternatives.h"
#include "runtime/Module/DeviceFacts.h"
#include "runtime/Module/FatBinary.h"
#include "runtime/Module/ImageTable.h"
#include "runtime/Support/Environment.h"
#include "runtime/Support/FloatTraps.h"
#include <cstring>
#include <memory>
#include <strings.h>
#include <vector>

namespace cufort::rt {

namespace {

/// The device's compute capability, 90 for 9.0.
Result deviceArch(const Current &current, int &arch) {
  int major = 0, minor = 0;
  CUresult result =
      current.table->deviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, current.device);
  if (result == CUDA_SUCCESS)
    result = current.table->deviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, current.device);
  arch = 10 * major + minor;
  return Result(result, "cuDeviceGetAttribute");
}

/// Loads `code` and returns the driver's compiler log in the error if that fails.
Result loadModule(const Current &current, const void *code, CUmodule &module) {
  ExceptionsOff exceptionsOff;
  char log[8192] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof log - 1))};
  CUresult result = current.table->moduleLoadDataEx(&module, code, 2, options, values);
  if (result == CUDA_SUCCESS)
    return {};
  std::string text = log;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return Result(toCudaError(result), "cuModuleLoadDataEx", std::move(text));
}

/// Lets the driver hold all lines that one launch of a program that prints may print (see PrintLineGpu.cpp). The user's
/// own choice of the buffer counts.
void makeRoomForOutput(const Current &current) {
  constexpr size_t driversChoice = 1 << 20, room = 16 << 20;
  size_t bytes = 0;
  if (current.table->ctxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE) == CUDA_SUCCESS && bytes == driversChoice)
    current.table->ctxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, room);
}

Result loadFatBinary(const Current &current, ImageRecord &record, const char *neededBy, CUmodule &module) {
  const CufortImage &image = *record.image;
  FatBinary binary;
  MemberImage code;
  int arch = 0;
  if (!image.fatBinary || !image.fatBinary->count)
    return Result(cudaErrorNoKernelImageForDevice, "loading device code",
                  std::string("'") + neededBy + "' was compiled for the emulated device only (CUFORT_DEVICE=emulated)");
  if (Result result = parseFatBinary(image.fatBinary, binary); !result)
    return result;
  if (Result result = deviceArch(current, arch); !result)
    return result;
  const CufortFatMember *member = chooseMember(binary, arch, environment().forcePtx);
  if (!member)
    return Result(cudaErrorNoKernelImageForDevice, "loading device code",
                  std::string("'") + neededBy + "' is needed on an sm_" + std::to_string(arch) +
                      " device, but the program holds code for " + listMembers(binary) + " only");
  if (Result result = unpackMember(binary, *member, code); !result)
    return result;
  debugLog("device %d: loading %s_%u for '%s'", current.device, member->kind == CufortFatPTX ? "compute" : "sm",
           member->arch, neededBy);
  if (Result result = loadModule(current, code.data, module); !result)
    return result;
  if (const CufortFatMember *versions = versionsFor(binary, *member))
    record.versions[current.device] = {binary.bytes + versions->offset, versions->size};
  if (binary.flags & CufortFatPrints)
    makeRoomForOutput(current);
  record.asksDevice = binary.flags & CufortFatAsksDevice;
  return {};
}

Result globalAddress(const Current &current, CUmodule module, EntryRecord &record, LoadedVariable &variable) {
  const CufortEntry &entry = *record.entry;
  variable.entry = &entry;
  variable.strides = &record.strides[current.device];
  CUresult result = current.table->moduleGetGlobal(&variable.address, &variable.bytes, module, entry.deviceName);
  if (result == CUDA_SUCCESS)
    return {};
  if (result != CUDA_ERROR_NOT_FOUND) // an error of a kernel before, as a rule
    return Result(result, "cuModuleGetGlobal");
  return Result(cudaErrorInvalidSymbol, "cuModuleGetGlobal",
                std::string("device variable '") + entry.fortranName + "' is not in the device image");
}

/// Copies the host's array descriptors, and the initial values of variables that have some in components, into a module
/// that has just been loaded.
Result pushHostValues(const Current &current, ImageRecord &image, CUmodule module) {
  // Launches that another thread has begun before a reset may use the old one.
  image.followed[current.device] = nullptr;
  for (size_t i = 0; i < image.recordCount; ++i) {
    const CufortEntry &entry = *image.records[i].entry;
    if (entry.kind != CufortEntryVariable || !(entry.flags & (CufortEntryDescriptor | CufortEntryReadMostly)))
      continue;
    LoadedVariable variable;
    if (Result result = globalAddress(current, module, image.records[i], variable); !result)
      return result;
    if (entry.flags & CufortEntryReadMostly) {
      current.table->memAdvise(variable.address, variable.bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, current.device);
      CUresult result = current.table->memcpyHtoD(variable.address, entry.hostAddress, entry.size);
      if (result != CUDA_SUCCESS)
        return Result(result, "copying the initial value of a managed variable");
      continue;
    }
    if (entry.flags & CufortEntryFollowed) {
      if (!image.followed[current.device])
        image.followed[current.device] = new FollowedDescriptors;
      image.followed[current.device]->add(entry.hostAddress, entry.size, variable.address, variable.bytes,
                                          *variable.strides);
      continue;
    }
    DeviceDescriptor descriptor(entry.hostAddress, entry.size, variable.bytes);
    if (CUresult result = pushDescriptor(current, variable, descriptor); result != CUDA_SUCCESS)
      return Result(result, "copying an array descriptor to the device");
  }
  // Now, because the first launch may be captured in a graph, where no copy may come between.
  FollowedDescriptors *followed = image.followed[current.device];
  return followed ? followed->update(current) : Result();
}

/// Keeps what a reset has made useless: another thread may have looked it up just before.
void retire(void *loaded) {
  static auto *retired = new std::vector<void *>;
  if (loaded)
    retired->push_back(loaded);
}

void forgetModules(int device) {
  auto forget = [](EntryRecord &record, void *data) {
    int device = *static_cast<int *>(data);
    for (int i = 0; i < maxDevices; ++i)
      if (device < 0 || device == i) {
        retire(record.loaded[i].exchange(nullptr, std::memory_order_acq_rel));
        record.image->modules[i] = nullptr;
      }
    return false;
  };
  forEachRecord(forget, &device);
}

/// Sets `module` to the image's module in the device. The caller holds moduleMutex().
Result moduleOf(const Current &current, ImageRecord &image, const char *neededBy, CUmodule &module) {
  module = image.modules[current.device];
  if (module)
    return {};
  atDeviceReset(forgetModules);
  Result result = current.table->loadsWholeImage ? loadModule(current, image.image, module)
                                                 : loadFatBinary(current, image, neededBy, module);
  if (result.ok())
    result = pushHostValues(current, image, module);
  image.asksDevice |= current.table->loadsWholeImage;
  if (result.ok() && image.asksDevice)
    result = pushDeviceFacts(current, module);
  if (result.ok())
    image.modules[current.device] = module;
  return result;
}

/// What the device has of the strides of the descriptor `deviceName`; null if the image has no such variable.
const std::atomic<int32_t> *stridesOf(const Current &current, ImageRecord &image, const char *deviceName) {
  for (EntryRecord *record = image.records; record != image.records + image.recordCount; ++record)
    if (record->entry->kind == CufortEntryVariable && !std::strcmp(record->entry->deviceName, deviceName))
      return &record->strides[current.device];
  return nullptr;
}

/// Adds the versions of `kernel` whose conditions can be looked at, and alternatives to them and to the kernel.
void addVersions(const Current &current, ImageRecord &image, LoadedKernel &kernel) {
  const VersionTable &table = image.versions[current.device];
  KernelFunction *code = &kernel.general; // what an alternative would be one to
  for (VersionRecord &record : readVersions(table.bytes, table.size, kernel.entry->deviceName)) {
    if (record.isAlternative()) {
      if (code)
        addAlternative(*code, record);
      continue;
    }
    code = nullptr;
    std::vector<const std::atomic<int32_t> *> strides;
    for (const char *variable : record.variables)
      if (const std::atomic<int32_t> *found = stridesOf(current, image, variable))
        strides.push_back(found);
    if (strides.size() != record.variables.size())
      continue;
    KernelVersion &version = kernel.versions.emplace_back();
    version.record = std::move(record);
    version.strides = std::move(strides);
    code = &version.code;
  }
}

/// LoadedKernel::writeOutput of some kernel that has one.
std::atomic<void (*)(const char *file, int32_t line)> anyWriteOutput{nullptr};

Result loadKernel(const Current &current, EntryRecord &record, LoadedKernel *&kernel) {
  std::lock_guard<std::mutex> lock(moduleMutex());
  kernel = static_cast<LoadedKernel *>(record.loaded[current.device].load(std::memory_order_acquire));
  if (kernel)
    return {};
  const CufortEntry &entry = *record.entry;
  CUmodule module = nullptr;
  if (Result result = moduleOf(current, *record.image, entry.fortranName, module); !result)
    return result;
  auto loading = std::make_unique<LoadedKernel>();
  CUresult result = loadFunction(current, module, entry.deviceName, loading->general);
  if (result == CUDA_ERROR_NOT_FOUND)
    return Result(cudaErrorInvalidDeviceFunction, "cuModuleGetFunction",
                  std::string("symbol '") + entry.deviceName + "' is not in the device image");
  if (result != CUDA_SUCCESS) // of a kernel before, as a rule
    return Result(result, "cuModuleGetFunction");
  loading->entry = &entry;
  loading->module = module;
  loading->followed = record.image->followed[current.device];
  loading->writeOutput = record.image->image->writeOutput;
  if (loading->writeOutput)
    anyWriteOutput.store(loading->writeOutput, std::memory_order_relaxed);
  addVersions(current, *record.image, *loading);
  kernel = loading.release();
  record.loaded[current.device].store(kernel, std::memory_order_release);
  return {};
}

Result loadVariable(const Current &current, EntryRecord &record, LoadedVariable *&variable) {
  std::lock_guard<std::mutex> lock(moduleMutex());
  variable = static_cast<LoadedVariable *>(record.loaded[current.device].load(std::memory_order_acquire));
  if (variable)
    return {};
  CUmodule module = nullptr;
  LoadedVariable found;
  if (Result result = moduleOf(current, *record.image, record.entry->fortranName, module); !result)
    return result;
  if (Result result = globalAddress(current, module, record, found); !result)
    return result;
  if (record.entry->flags & CufortEntryFollowed)
    found.followed = record.image->followed[current.device];
  variable = new LoadedVariable(found);
  record.loaded[current.device].store(variable, std::memory_order_release);
  return {};
}

Result unknownAddress(cudaError_t code, const char *what) {
  std::string text = std::string("the program has no such ") + what;
  if (uint32_t version = foreignAbiVersion())
    text = "the program was linked for version " + std::to_string(version) +
           " of the runtime interface, this library has version " + std::to_string(CUFORT_ABI_VERSION) +
           ": link it again";
  return Result(code, "looking it up", std::move(text));
}

struct NameQuery {
  const char *name;
  size_t length;
  CufortEntryKind kind;
  const void *found;
};

bool sameName(const char *known, const NameQuery &query) {
  return std::strlen(known) == query.length && !strncasecmp(known, query.name, query.length);
}

} // namespace

CUresult pushDescriptor(const Current &current, const LoadedVariable &variable, const DeviceDescriptor &descriptor) {
  CUresult result = current.table->memcpyHtoD(variable.address, descriptor.data(), descriptor.size());
  variable.strides->store(result == CUDA_SUCCESS ? descriptor.strides() : 0, std::memory_order_relaxed);
  return result;
}

void writeOutputBeforeAny() {
  if (auto *writeOutput = anyWriteOutput.load(std::memory_order_relaxed))
    writeOutput(nullptr, 0);
}

bool isLoaded(const Current &current, const LoadedKernel &kernel, KernelFunction &code, const char *symbol) {
  if (code.function.load(std::memory_order_acquire))
    return true;
  std::lock_guard<std::mutex> lock(moduleMutex());
  return code.function.load(std::memory_order_relaxed) ||
         loadFunction(current, kernel.module, symbol, code) == CUDA_SUCCESS;
}

KernelFunction *codeOf(const Current &current, const LoadedKernel &kernel, KernelVersion &version) {
  return isLoaded(current, kernel, version.code, version.record.symbol) ? &version.code : nullptr;
}

KernelFunction &usualCode(const Current &current, LoadedKernel &kernel) {
  KernelFunction *code = kernel.versions.empty() ? nullptr : codeOf(current, kernel, kernel.versions.front());
  return code ? *code : kernel.general;
}

std::vector<KernelFunction *> allCode(const Current &current, LoadedKernel &kernel) {
  std::vector<KernelFunction *> all = {&kernel.general};
  for (KernelVersion &version : kernel.versions)
    if (KernelFunction *code = codeOf(current, kernel, version))
      all.push_back(code);
  return all;
}

std::vector<KernelFunction *> withAlternatives(const Current &current, const LoadedKernel &kernel,
                                               std::vector<KernelFunction *> codes) {
  for (size_t i = 0, count = codes.size(); i < count; ++i)
    if (Alternatives *alternatives = codes[i]->alternatives.get())
      for (KernelFunction &code : alternatives->codes)
        if (isLoaded(current, kernel, code, code.symbol))
          codes.push_back(&code);
  return codes;
}

LoadedKernel *findLoadedKernel(int device, const void *stub) {
  EntryRecord *record = findIndexedRecord(stub);
  if (!record || record->entry->kind != CufortEntryKernel)
    return nullptr;
  return static_cast<LoadedKernel *>(record->loaded[device].load(std::memory_order_acquire));
}

Result findKernel(const Current &current, const void *stub, LoadedKernel *&kernel) {
  kernel = findLoadedKernel(current.device, stub);
  if (kernel)
    return {};
  EntryRecord *record = findRecord(stub);
  if (!record || record->entry->kind != CufortEntryKernel)
    return unknownAddress(cudaErrorInvalidDeviceFunction, "kernel");
  return loadKernel(current, *record, kernel);
}

Result findVariable(const Current &current, const void *host, LoadedVariable &variable) {
  EntryRecord *record = findRecord(host);
  if (!record || record->entry->kind != CufortEntryVariable)
    return unknownAddress(cudaErrorInvalidSymbol, "device variable");
  auto *loaded = static_cast<LoadedVariable *>(record->loaded[current.device].load(std::memory_order_acquire));
  if (!loaded)
    if (Result result = loadVariable(current, *record, loaded); !result)
      return result;
  variable = *loaded;
  return {};
}

const void *findHostAddress(const char *name, size_t length, CufortEntryKind kind) {
  while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == 0))
    --length;
  NameQuery query = {name, length, kind, nullptr};
  auto match = [](EntryRecord &record, void *data) {
    auto &query = *static_cast<NameQuery *>(data);
    const CufortEntry &entry = *record.entry;
    if (entry.kind != static_cast<uint32_t>(query.kind))
      return false;
    if (sameName(entry.fortranName, query) || sameName(entry.deviceName, query))
      query.found = entry.hostAddress;
    return query.found != nullptr;
  };
  forEachRecord(match, &query);
  return query.found;
}

const CufortEntry *findEntry(const void *host) {
  EntryRecord *record = findRecord(host);
  return record ? record->entry : nullptr;
}

} // namespace cufort::rt
