// Assignment of derived types that have components on the device. Flang's runtime does what the standard says of
// allocation, shapes and defined assignment; it lets its caller move the bytes.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <cstring>
#include <memory>

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
void DoFromSourceAssign(Descriptor &object, const Descriptor &source, Terminator &terminator,
                        void *(*move)(void *, const void *, size_t));

} // namespace Fortran::runtime

extern "C" {
void _FortranAInitialize(const FortranDescriptor &, const char *file, int line);
void _FortranAPushArrayConstructorSimpleScalar(void *vector, void *from);
int _FortranAAllocatableAllocate(FortranDescriptor &, int64_t *stream, bool hasStat, const FortranDescriptor *errMsg,
                                 const char *file, int line, void *(*move)(void *, const void *, size_t));
int _FortranAPointerAllocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                             int line, void *(*move)(void *, const void *, size_t));

// As Flang's entries of these names.
void cufortAssignPolymorphic(FortranDescriptor &to, const FortranDescriptor &from, const char *file, int line);
int cufortAllocatableAllocateSource(FortranDescriptor &, const FortranDescriptor &source, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line);
int cufortPointerAllocateSource(FortranDescriptor &, const FortranDescriptor &source, bool hasStat,
                                const FortranDescriptor *errMsg, const char *file, int line);
}

namespace {

/// What Flang's own entry for assignments passes: may reallocate, finalises, components may have defined assignments.
constexpr int assignFlags = 1 | 2 | 8;
/// For CLASS the type becomes that of the value.
constexpr int polymorphicFlags = assignFlags | 32;
/// And for temporaries: may reallocate, the type is that of the value.
constexpr int temporaryFlags = 1 | 32;

bool isOnDevice(const void *address) {
  Allocation allocation;
  return findAllocation(address, allocation) && allocation.kind != MemoryKind::Pinned;
}

/// memmove between any two memories.
void *moveBytes(void *dst, const void *src, size_t bytes) {
  bool toDevice = isOnDevice(dst), fromDevice = isOnDevice(src);
  if (!toDevice && !fromDevice)
    return std::memmove(dst, src, bytes);
  reportPending(); // what happens on the host alone does not depend on the device
  CopyMode mode = !fromDevice ? CopyMode::HostToDevice : toDevice ? CopyMode::DeviceToDevice : CopyMode::DeviceToHost;
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = copyBytes(current, dst, src, bytes, mode, 0);
  requireSuccess(result, "assigning a component", nullptr, 0);
  return dst;
}

void assign(void *to, const void *from, int flags, const char *file, int line) {
  Fortran::runtime::Terminator terminator{file, line};
  Fortran::runtime::Assign(*static_cast<Fortran::runtime::Descriptor *>(to),
                           *static_cast<const Fortran::runtime::Descriptor *>(from), terminator, flags, moveBytes);
}

/// Gives `object`, which has just been allocated, the value of `source`.
void copySource(void *object, const void *source, const char *file, int line) {
  Fortran::runtime::Terminator terminator{file, line};
  Fortran::runtime::DoFromSourceAssign(*static_cast<Fortran::runtime::Descriptor *>(object),
                                       *static_cast<const Fortran::runtime::Descriptor *>(source), terminator,
                                       moveBytes);
}

void initialiseAndAssign(FortranDescriptor &to, FortranDescriptor &from, const char *file, int line) {
  if (to.hasAddendum() && to.base)
    _FortranAInitialize(to, file, line);
  assign(&to, &from, temporaryFlags, file, line);
}

/// A descriptor of one element of `array`, without its address.
FortranDescriptor elementOf(const FortranDescriptor &array) {
  FortranDescriptor element = {};
  std::memcpy(&element, &array, offsetof(FortranDescriptor, dim));
  element.rank = 0;
  element.attribute = 0;
  // The addendum says of which type it is; it follows the dimensions.
  if (array.hasAddendum())
    std::memcpy(&element.dim[0], &array.dim[array.rank], FortranDescriptor::addendumBytes);
  return element;
}

/// The address of the next element of `array` in array element order; `subscripts` count from 0.
char *nextElement(const FortranDescriptor &array, int64_t *subscripts) {
  char *address = static_cast<char *>(array.base);
  for (int i = 0; i < array.rank; ++i)
    address += subscripts[i] * array.dim[i].byteStride;
  for (int i = 0; i < array.rank && ++subscripts[i] == array.dim[i].extent; ++i)
    subscripts[i] = 0;
  return address;
}

} // namespace

void cufortAssign(void *to, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  assign(to, from, assignFlags, file, line);
}

void cufortAssignTemporary(void *to, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  initialiseAndAssign(*static_cast<FortranDescriptor *>(to), *static_cast<FortranDescriptor *>(from), file, line);
}

void cufortPushArrayConstructorValue(void *vector, void *from, const char *file, int32_t line) {
  StatementScope statement(file, line);
  const auto &array = *static_cast<const FortranDescriptor *>(from);
  int64_t subscripts[maxRank] = {};
  FortranDescriptor source = elementOf(array), copy = elementOf(array);
  std::unique_ptr<char[]> memory(new char[array.elementBytes]);
  copy.base = memory.get();
  for (size_t count = arrayOf(array).elements(); count > 0; --count) {
    source.base = nextElement(array, subscripts);
    std::memset(copy.base, 0, array.elementBytes);
    initialiseAndAssign(copy, source, file, line);
    // Moves the bytes: what the components hold belongs to the constructor's array from here on.
    _FortranAPushArrayConstructorSimpleScalar(vector, copy.base);
  }
}

void cufortAssignPolymorphic(FortranDescriptor &to, const FortranDescriptor &from, const char *file, int line) {
  StatementScope statement(file, line);
  assign(&to, &from, polymorphicFlags, file, line);
}

int cufortAllocatableAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line) {
  StatementScope statement(file, line);
  int stat = _FortranAAllocatableAllocate(object, nullptr, hasStat, errMsg, file, line, std::memcpy);
  if (stat == 0)
    copySource(&object, &source, file, line);
  return stat;
}

int cufortPointerAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, bool hasStat,
                                const FortranDescriptor *errMsg, const char *file, int line) {
  StatementScope statement(file, line);
  int stat = _FortranAPointerAllocate(object, hasStat, errMsg, file, line, std::memcpy);
  if (stat == 0)
    copySource(&object, &source, file, line);
  return stat;
}
