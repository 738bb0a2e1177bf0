// Assignment of derived types that have components on the device. Flang's runtime does what the standard says of
// allocation, shapes and defined assignment; it lets its caller move the bytes.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <cstring>

using namespace cufort::rt;

namespace Fortran::runtime {

class Descriptor;

/// As Flang's runtime lays it out.
class Terminator {
public:
  const char *file;
  int line;
};

void Assign(Descriptor &to, const Descriptor &from, Terminator &terminator, int flags,
            void *(*move)(void *, const void *, size_t));

} // namespace Fortran::runtime

namespace {

/// What Flang's own entry for assignments passes: may reallocate, finalises, components may have defined assignments.
constexpr int assignFlags = 1 | 2 | 8;

bool isOnDevice(const void *address) {
  Allocation allocation;
  return findAllocation(address, allocation) && allocation.kind != MemoryKind::Pinned;
}

/// memmove between any two memories.
void *moveBytes(void *dst, const void *src, size_t bytes) {
  bool toDevice = isOnDevice(dst), fromDevice = isOnDevice(src);
  if (!toDevice && !fromDevice)
    return std::memmove(dst, src, bytes);
  CopyMode mode = !fromDevice ? CopyMode::HostToDevice : toDevice ? CopyMode::DeviceToDevice : CopyMode::DeviceToHost;
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = copyBytes(current, dst, src, bytes, mode, 0);
  requireSuccess(result, "assigning a component", nullptr, 0);
  return dst;
}

} // namespace

void cufortAssign(void *to, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  Fortran::runtime::Terminator terminator{file, line};
  reportPending();
  Fortran::runtime::Assign(*static_cast<Fortran::runtime::Descriptor *>(to),
                           *static_cast<Fortran::runtime::Descriptor *>(from), terminator, assignFlags, moveBytes);
}
