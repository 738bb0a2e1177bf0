// Random numbers by a generator of cuRAND that the program has made (curandExSetCurandGenerator; guide 3.9.4.12).
#pragma once

#include <cstdint>

namespace cufort::rt {

/// True if there is a cuRAND: the one that the program is linked with or has loaded, or else one of the machine.
/// Thread-safe.
bool hasCurand();

/// Has `generator` write `count` numbers greater than 0 and at most 1 to the device memory at `numbers`, which are
/// double if `isDouble`, in `stream`; does not wait. Returns a curandStatus_t, of which 0 is success.
int drawByCurand(void *generator, void *numbers, int64_t count, bool isDouble, int64_t stream);

/// The name of a curandStatus_t.
const char *curandStatusName(int status);

} // namespace cufort::rt
