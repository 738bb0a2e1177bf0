// Accesses of the device library to arrays, for the search of data races on shared memory.

#include "codegen/DeviceLibrary/FortranDescriptor.h"
#include "runtime/ABI/EmulatedABI.h"

using namespace cufort::device;

/// Notes each element of `array` for the thread: `access` is one of CufortEmuAccess.
extern "C" void cufort_note_array(const Descriptor *array, int access, const char *where) {
  long count = elementCount(*array);
  for (long i = 0; i < count; ++i)
    cufortEmuSharedAccess(elementAddress(*array, i), static_cast<int64_t>(array->elementBytes), access, where);
}
