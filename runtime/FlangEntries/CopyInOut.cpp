// Sections of device data as arguments where the dummy argument wants contiguous memory: it gets a copy in memory of
// the same kind, which Flang's runtime would take from the host.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/FlangEntries/Transfer.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"

using namespace cufort::rt;

namespace {

constexpr const char *passing = "passing a section of an array";

Result makeContiguousCopy(FortranDescriptor &temporary, const FortranDescriptor &array, MemoryKind kind) {
  size_t bytes = describeContiguous(temporary, array);
  temporary.attribute = FortranDescriptor::allocatable;
  Result result = allocateMemory(kind, bytes, temporary.base);
  if (result.ok() && bytes > 0)
    result = assignArray(temporary, array, CopyMode::DeviceToDevice);
  return result;
}

} // namespace

extern "C" {

void cufortCopyIn(void *temporary, void *array, int32_t kind, const char *file, int32_t line) {
  StatementScope statement(file, line);
  reportPending();
  requireSuccess(makeContiguousCopy(*static_cast<FortranDescriptor *>(temporary),
                                    *static_cast<FortranDescriptor *>(array), static_cast<MemoryKind>(kind)),
                 passing, file, line);
}

void cufortCopyOut(void *array, void *temporary, const char *file, int32_t line) {
  StatementScope statement(file, line);
  auto &copy = *static_cast<FortranDescriptor *>(temporary);
  reportPending();
  Current current;
  // A kernel that uses the copy may still run, on any stream.
  Result result = currentContext(current);
  if (result.ok())
    result = Result(current.table->ctxSynchronize(), "cuCtxSynchronize");
  if (result.ok())
    noteSynchronized(0, true);
  if (result.ok() && array && arrayOf(copy).elements() > 0)
    result = assignArray(*static_cast<FortranDescriptor *>(array), copy, CopyMode::DeviceToDevice);
  Result released = releaseMemory(copy.base);
  copy.base = nullptr;
  requireSuccess(result.ok() ? released : result, passing, file, line);
}

} // extern "C"
