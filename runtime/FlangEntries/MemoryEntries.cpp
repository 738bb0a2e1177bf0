// Memory of variables that live as long as a host procedure's activation.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/EachDevice.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <cstdlib>

using namespace cufort::rt;

extern "C" {

void *cufortMemAlloc(size_t bytes, int32_t kind, const char *file, int32_t line) {
  StatementScope statement(file, line);
  constexpr int32_t ofTemporary = 4;
  void *address = nullptr;
  Result result = kind == ofTemporary ? allocateTemporary(bytes, address)
                                      : allocateMemory(static_cast<MemoryKind>(kind), bytes, address);
  requireSuccess(result, "allocating a variable", file, line);
  return address;
}

void *cufortMemInDevice(void *variable, size_t bytes, const char *file, int32_t line) {
  StatementScope statement(file, line);
  void *address = nullptr;
  requireSuccess(memoryInDevice(variable, bytes, address), "allocating a variable", file, line);
  return address;
}

void cufortReadMostly(void *address, size_t bytes) {
  Current current;
  if (currentContext(current).ok())
    keepCopies(current, reinterpret_cast<CUdeviceptr>(address), bytes);
}

void *_FortranACUFMemAlloc(size_t bytes, unsigned kind, const char *file, int line) {
  return cufortMemAlloc(bytes, kind, file, line);
}

void cufortMemFree(void *address, int32_t, const char *file, int32_t line) {
  StatementScope statement(file, line);
  // Where a procedure ends, and the caller can still ask what is wrong.
  recordPending(releaseMemory(address), "freeing a variable", file, line);
}

void cufortFree(void *address, const char *file, int32_t line) {
  Allocation allocation;
  if (address && findAllocation(address, allocation))
    cufortMemFree(address, 0, file, line);
  else
    std::free(address);
}

void _FortranACUFMemFree(void *address, unsigned kind, const char *file, int line) {
  cufortMemFree(address, static_cast<int32_t>(kind), file, line);
}

} // extern "C"
