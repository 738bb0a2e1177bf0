// Entries of Flang's CUDA runtime about descriptors and the device addresses of module variables.
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Module/Module.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"

using namespace cufort::rt;

namespace {

Result deviceVariable(const void *host, Current &current, LoadedVariable &variable) {
  if (Result result = currentContext(current); !result)
    return result;
  return findVariable(current, host, variable);
}

std::string variableName(const void *host) {
  const CufortEntry *entry = findEntry(host);
  return entry ? "device variable '" + std::string(entry->fortranName) + "'" : "a device variable";
}

Result pushTo(CUdeviceptr dst, const FortranDescriptor &src) {
  Current current;
  if (Result result = currentContext(current); !result)
    return result;
  return Result(current.table->memcpyHtoD(dst, &src, src.sizeInBytes()), "cuMemcpyHtoD");
}

Result pushGlobal(const FortranDescriptor &host) {
  Current current;
  LoadedVariable variable;
  if (Result result = deviceVariable(&host, current, variable); !result)
    return result;
  if (variable.followed)
    return variable.followed->update(current);
  DeviceDescriptor descriptor(&host, variable.entry->size, variable.bytes);
  return Result(pushDescriptor(current, variable, descriptor), "cuMemcpyHtoD");
}

} // namespace

void cufort::rt::syncIfGlobal(const FortranDescriptor &descriptor, const char *file, int line) {
  const CufortEntry *entry = findEntry(&descriptor);
  if (!entry || entry->kind != CufortEntryVariable || !(entry->flags & CufortEntryDescriptor))
    return;
  if (Result result = pushGlobal(descriptor); !result)
    requireSuccess(result, ("updating " + variableName(&descriptor)).c_str(), file, line);
}

extern "C" {

FortranDescriptor *_FortranACUFAllocDescriptor(size_t bytes, const char *file, int line) {
  StatementScope statement(file, line);
  void *address = nullptr;
  requireSuccess(allocateMemory(MemoryKind::Managed, bytes, address), "allocating an array descriptor", file, line);
  return static_cast<FortranDescriptor *>(address);
}

void _FortranACUFFreeDescriptor(FortranDescriptor *descriptor, const char *file, int line) {
  StatementScope statement(file, line);
  recordPending(releaseMemory(descriptor), "freeing an array descriptor", file, line);
}

void *_FortranACUFGetDeviceAddress(void *host, const char *file, int line) {
  Current current;
  LoadedVariable variable;
  if (Result result = deviceVariable(host, current, variable); !result)
    requireSuccess(result, variableName(host).c_str(), file, line);
  return reinterpret_cast<void *>(variable.address);
}

void _FortranACUFDescriptorSync(FortranDescriptor *dst, const FortranDescriptor *src, const char *file, int line) {
  StatementScope statement(file, line);
  requireSuccess(pushTo(reinterpret_cast<CUdeviceptr>(dst), *src), "copying an array descriptor to the device", file,
                 line);
}

void _FortranACUFSyncGlobalDescriptor(void *host, const char *file, int line) {
  syncIfGlobal(*static_cast<FortranDescriptor *>(host), file, line);
}

void _FortranACUFDescriptorCheckSection(const FortranDescriptor *descriptor, const char *file, int line) {
  if (descriptor && !arrayOf(*descriptor).isContiguous())
    failProgram(file, line,
                "an array section that is passed to a kernel with an explicit-shape or assumed-size dummy "
                "argument must be contiguous");
}

CUstream _FortranACUFGetAssociatedStream(void *address) { return toStream(defaultStreamFor(address)); }

} // extern "C"
