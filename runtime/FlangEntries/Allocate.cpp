// ALLOCATE and DEALLOCATE of device, managed, unified and pinned variables. Flang's runtime does what the standard
// asks for (bounds, initialisation, finalisation) and calls our allocators for the memory; what is done here is what
// CUDA Fortran adds: STREAM=, PINNED=, SOURCE= across memories, and descriptors that have a copy on the device.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/Allocators.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/FlangEntries/Sync.h"
#include "runtime/FlangEntries/Transfer.h"
#include "runtime/FlangEntries/TypeDescription.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

using namespace cufort::rt;

extern "C" {
using CopyFunction = void *(*)(void *, const void *, size_t);
int _FortranAAllocatableAllocate(FortranDescriptor &, int64_t *stream, bool hasStat, const FortranDescriptor *errMsg,
                                 const char *file, int line, CopyFunction copy);
int _FortranAAllocatableDeallocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                   int line);
int _FortranAPointerAllocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                             int line, CopyFunction copy);
void _FortranAInitialize(const FortranDescriptor &, const char *file, int line);

/// Tells the descriptor of a pointer, before a DEALLOCATE, which memory its target is in, unless it says so: an address
/// from c_f_pointer comes without. No effect for the host's own memory.
void cufortFindAllocator(FortranDescriptor *pointer);
}

namespace {

/// Status values of Flang's runtime.
constexpr int notAllocatedStat = 11;
constexpr int alreadyAllocatedStat = 12;
constexpr int noMemoryStat = 19;

/// What an allocation statement says besides the object.
struct AllocationStatement {
  int64_t *stream;
  bool *pinned;
  bool hasStat;
  const FortranDescriptor *errMsg;
  const char *file;
  int line;
};

/// The bytes of an element with its initial values; none if its type has no initial values.
std::vector<char> initialElement(const FortranDescriptor &object) {
  std::vector<char> bytes(object.elementBytes, 0), others(object.elementBytes, -1);
  for (std::vector<char> *memory : {&bytes, &others}) {
    FortranDescriptor element = {memory->data(), object.elementBytes, object.version, 0, object.type, 0, 1, {}};
    std::memcpy(&element.dim[0], &object.dim[object.rank], FortranDescriptor::addendumBytes);
    _FortranAInitialize(element, nullptr, 0);
  }
  // What has an initial value is the same in both.
  bool isInitialised = !std::equal(bytes.begin(), bytes.end(), others.begin(), [](char a, char b) { return a != b; });
  return isInitialised ? bytes : std::vector<char>();
}

/// Gives the elements of `object`, which is on the device, their initial values. Flang's runtime would have the host
/// write those of components that are of derived type themselves.
Result initialiseOnDevice(const FortranDescriptor &object) {
  constexpr size_t bytesAtATime = 1 << 20;
  std::vector<char> element = initialElement(object);
  size_t count = 1;
  for (int i = 0; i < object.rank; ++i)
    count *= object.dim[i].extent;
  if (element.empty() || !count)
    return {};
  size_t together = std::min(count, std::max<size_t>(bytesAtATime / element.size(), 1));
  std::vector<char> elements;
  for (size_t i = 0; i < together; ++i)
    elements.insert(elements.end(), element.begin(), element.end());
  Current current;
  Result result = currentContext(current);
  for (size_t done = 0; done < count && result.ok(); done += together)
    result = copyBytes(current, static_cast<char *>(object.base) + done * element.size(), elements.data(),
                       std::min(together, count - done) * element.size(), CopyMode::HostToDevice, 0);
  return result;
}

/// Where an object that is allocated gets its initial values from.
enum class InitialValues {
  FromHost,   ///< Flang's runtime stores them, and calls what allocates its components
  FromDevice, ///< transfers bring them to the device
  FromSource, ///< SOURCE= follows, so that there are none
};

InitialValues initialValues(bool deviceInit) {
  return deviceInit ? InitialValues::FromDevice : InitialValues::FromHost;
}

/// Has `allocate` allocate `object`.
template <typename Allocate>
int allocateObject(FortranDescriptor &object, InitialValues values, Allocate allocate) {
  if (values == InitialValues::FromHost)
    return allocate();
  int stat = withoutType(object, allocate);
  if (values == InitialValues::FromDevice && dynamicType(object) && stat == 0)
    requireSuccess(initialiseOnDevice(object), "initialising a device variable", nullptr, 0);
  return stat;
}

/// Stores `text` into ERRMSG=, blank-padded.
void setMessage(const FortranDescriptor *errMsg, const std::string &text) {
  if (!errMsg || !errMsg->base)
    return;
  auto *message = static_cast<char *>(errMsg->base);
  size_t length = std::min(text.size(), errMsg->elementBytes);
  std::memcpy(message, text.data(), length);
  std::memset(message + length, ' ', errMsg->elementBytes - length);
}

std::string statText(int stat) {
  switch (stat) {
  case notAllocatedStat:
    return "the variable is not allocated";
  case alreadyAllocatedStat:
    return "the variable is already allocated";
  case noMemoryStat:
    return "out of memory";
  default:
    return "status " + std::to_string(stat);
  }
}

/// Tells STAT= and ERRMSG= about a failure, or ends the program if there is no STAT=. Returns the status.
int fail(const char *what, int stat, const Result &cause, const AllocationStatement &statement) {
  std::string text = std::string(what) + ": " + (cause.ok() ? statText(stat) : cause.message());
  if (!statement.hasStat)
    failProgram(statement.file, statement.line, text);
  setMessage(statement.errMsg, text);
  return cause.ok() ? stat : finishCall(cause);
}

void beginStatement(const AllocationStatement &statement) {
  if (!statement.hasStat)
    reportPending();
  // What a deallocation that Flang's runtime did by itself may have left.
  (void)takeAllocationFailure();
}

int finishAllocation(FortranDescriptor &object, int stat, const AllocationStatement &statement) {
  setAllocationStream(nullptr);
  if (stat != 0) {
    if (statement.pinned)
      *statement.pinned = false;
    return fail("allocate", stat, takeAllocationFailure(), statement);
  }
  if (statement.pinned)
    *statement.pinned = isPageLocked(object.base);
  syncIfGlobal(object, statement.file, statement.line);
  return 0;
}

int allocateAllocatable(FortranDescriptor &object, InitialValues values, const AllocationStatement &statement) {
  StatementScope place(statement.file, statement.line);
  beginStatement(statement);
  int stat = allocateObject(object, values, [&] {
    return _FortranAAllocatableAllocate(object, statement.stream, /*hasStat=*/true, nullptr, statement.file,
                                        statement.line, std::memcpy);
  });
  return finishAllocation(object, stat, statement);
}

int allocatePointer(FortranDescriptor &object, InitialValues values, const AllocationStatement &statement) {
  StatementScope place(statement.file, statement.line);
  beginStatement(statement);
  setAllocationStream(statement.stream);
  int stat = allocateObject(object, values, [&] {
    return _FortranAPointerAllocate(object, /*hasStat=*/true, nullptr, statement.file, statement.line, std::memcpy);
  });
  return finishAllocation(object, stat, statement);
}

int copySource(FortranDescriptor &object, const FortranDescriptor &source, bool sourceIsDevice, int stat,
               const AllocationStatement &statement) {
  if (stat != 0)
    return stat;
  StatementScope place(statement.file, statement.line);
  Result result = assignArray(object, source, copyMode(isOnDevice(object), sourceIsDevice));
  return result.ok() ? 0 : fail("allocate with source=", noMemoryStat, result, statement);
}

/// Where FortranDescriptor::extra says which memory the data is in.
constexpr uint8_t allocatorBits = 7 << 1;

/// `kind` is that of cufortMemAlloc.
void setAllocator(FortranDescriptor &object, int32_t kind) {
  constexpr FlangAllocator allocators[] = {FlangDevice, FlangManaged, FlangUnified, FlangPinned}; // by MemoryKind
  object.extra = static_cast<uint8_t>((object.extra & ~allocatorBits) | allocators[kind] << 1);
}

} // namespace

extern "C" {

int _FortranACUFAllocatableAllocate(FortranDescriptor &object, int64_t *stream, bool *pinned, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line, bool deviceInit) {
  return allocateAllocatable(object, initialValues(deviceInit), {stream, pinned, hasStat, errMsg, file, line});
}

// Every allocation looks whether its descriptor has a copy on the device, because a procedure does not know whether
// its dummy argument is a module variable. So the variants that Flang calls "sync" are the same.
int _FortranACUFAllocatableAllocateSync(FortranDescriptor &object, int64_t *stream, bool *pinned, bool hasStat,
                                        const FortranDescriptor *errMsg, const char *file, int line, bool deviceInit) {
  return allocateAllocatable(object, initialValues(deviceInit), {stream, pinned, hasStat, errMsg, file, line});
}

int _FortranACUFAllocatableAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, int64_t *stream,
                                          bool *pinned, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                          int line, bool sourceIsDevice) {
  AllocationStatement statement = {stream, pinned, hasStat, errMsg, file, line};
  int stat = allocateAllocatable(object, InitialValues::FromSource, statement);
  return copySource(object, source, sourceIsDevice, stat, statement);
}

int _FortranACUFAllocatableAllocateSourceSync(FortranDescriptor &object, const FortranDescriptor &source,
                                              int64_t *stream, bool *pinned, bool hasStat,
                                              const FortranDescriptor *errMsg, const char *file, int line,
                                              bool sourceIsDevice) {
  return _FortranACUFAllocatableAllocateSource(object, source, stream, pinned, hasStat, errMsg, file, line,
                                               sourceIsDevice);
}

int _FortranACUFPointerAllocate(FortranDescriptor &object, int64_t *stream, bool *pinned, bool hasStat,
                                const FortranDescriptor *errMsg, const char *file, int line, bool deviceInit) {
  return allocatePointer(object, initialValues(deviceInit), {stream, pinned, hasStat, errMsg, file, line});
}

int _FortranACUFPointerAllocateSync(FortranDescriptor &object, int64_t *stream, bool *pinned, bool hasStat,
                                    const FortranDescriptor *errMsg, const char *file, int line, bool deviceInit) {
  return allocatePointer(object, initialValues(deviceInit), {stream, pinned, hasStat, errMsg, file, line});
}

int _FortranACUFPointerAllocateSource(FortranDescriptor &object, const FortranDescriptor &source, int64_t *stream,
                                      bool *pinned, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                      int line, bool sourceIsDevice) {
  AllocationStatement statement = {stream, pinned, hasStat, errMsg, file, line};
  int stat = allocatePointer(object, InitialValues::FromSource, statement);
  return copySource(object, source, sourceIsDevice, stat, statement);
}

int _FortranACUFPointerAllocateSourceSync(FortranDescriptor &object, const FortranDescriptor &source, int64_t *stream,
                                          bool *pinned, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                          int line, bool sourceIsDevice) {
  return _FortranACUFPointerAllocateSource(object, source, stream, pinned, hasStat, errMsg, file, line, sourceIsDevice);
}

int _FortranACUFAllocatableDeallocate(FortranDescriptor &object, bool hasStat, const FortranDescriptor *errMsg,
                                      const char *file, int line) {
  StatementScope place(file, line);
  AllocationStatement statement = {nullptr, nullptr, hasStat, errMsg, file, line};
  (void)takeAllocationFailure();
  int stat = _FortranAAllocatableDeallocate(object, /*hasStat=*/true, nullptr, file, line);
  Result failure = takeAllocationFailure();
  if (stat != 0 || (!failure.ok() && hasStat))
    return fail("deallocate", stat, failure, statement);
  // Also where a procedure ends, so that the caller can still ask what is wrong.
  recordPending(failure, "deallocate", file, line);
  syncIfGlobal(object, file, line);
  return 0;
}

void cufortSetAllocator(void *descriptor, int32_t kind) {
  auto &object = *static_cast<FortranDescriptor *>(descriptor);
  if (!object.base)
    setAllocator(object, kind);
}

void cufortFindAllocator(FortranDescriptor *pointer) {
  Allocation allocation;
  bool isUnknown = pointer->base && !(pointer->extra & allocatorBits);
  if (isUnknown && findAllocation(pointer->base, allocation) &&
      allocation.base == reinterpret_cast<uintptr_t>(pointer->base))
    setAllocator(*pointer, static_cast<int32_t>(allocation.kind));
}

int32_t cufortPointerDeallocate(void *pointer, int32_t hasStat, void *errmsg, const char *file, int32_t line) {
  StatementScope place(file, line);
  auto &object = *static_cast<FortranDescriptor *>(pointer);
  AllocationStatement statement = {nullptr, nullptr, hasStat != 0, static_cast<FortranDescriptor *>(errmsg),
                                   file,    line};
  if (!object.base)
    return fail("deallocate", notAllocatedStat, Result(), statement);
  Result result = releaseMemory(object.base);
  if (!result.ok() && hasStat)
    return fail("deallocate", notAllocatedStat, result, statement);
  recordPending(result, "deallocate", file, line);
  object.base = nullptr;
  syncIfGlobal(object, file, line);
  return 0;
}

void _FortranACUFRegisterAllocator() { registerFlangAllocators(); }

void _FortranACUFInit() {}

} // extern "C"
