// What the arguments of cudafor's routines mean. Module cudafor passes memory and integers of any kind as descriptors.
#pragma once

#include "runtime/Context/Context.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Stream/ErrorState.h"
#include <cstdint>

namespace cufort::rt {

/// The memory that a TYPE(*) argument names.
struct Operand {
  /// Where the operation begins: the first element of an array or section, or the value of an address. Null if the
  /// array is not allocated.
  char *address = nullptr;
  /// What one of a count stands for: bytes of an element, 1 for addresses and characters.
  size_t unit = 1;
  /// A scalar of type c_devptr or c_ptr: counts are in bytes.
  bool isAddress = false;
  int8_t type = 0; ///< the descriptor's type code
  /// The section itself, for operations on elements that do not follow one another.
  StridedArray array;

  CUdeviceptr device() const { return reinterpret_cast<CUdeviceptr>(address); }
  /// True if elements from `address` on follow one another.
  bool isContiguous() const { return isAddress || array.isContiguous(); }
};

/// Returns what `argument` names. A c_devptr or c_ptr that itself lies in device memory counts as an element there.
Operand operandOf(const FortranDescriptor &argument);

/// Returns the value of an integer of any kind.
int64_t integerOf(const FortranDescriptor &argument);

/// Returns the stream number that `argument` holds, or 0 if it is absent (null).
int64_t streamOf(const FortranDescriptor *argument);

/// Sets `bytes` to `count * unit`; cudaErrorInvalidValue if the count is negative or the product too large.
Result bytesOf(int64_t count, size_t unit, size_t &bytes);

/// Checks a direction of a copy that the program gave; null and every direction that there is are fine. Which one it is
/// does not matter: addresses tell.
Result checkDirection(const int *direction);

/// Runs `body`, which takes a const Current & and returns a Result, in the calling thread's context. Returns the code
/// that the routine gives to the program, which is also recorded as the thread's last error.
template <typename Body>
int withContext(Body body) {
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = body(current);
  return finishCall(result);
}

/// The same for what needs the device's functions but no context.
template <typename Body>
int withDriver(Body body) {
  const DriverTable *table = nullptr;
  Result result = driver(table);
  if (result.ok())
    result = body(*table);
  return finishCall(result);
}

} // namespace cufort::rt
