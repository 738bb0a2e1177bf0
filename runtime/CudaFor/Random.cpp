// What module curandex needs besides its kernels (guide 3.9.4.12).
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Libraries/Curand.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Trace/Statement.h"
#include <atomic>
#include <string>

namespace cufort::rt {

namespace {

/// Groups of random numbers that calls have had so far. Threads that draw at the same time get different numbers.
std::atomic<int64_t> drawnGroups{0};

} // namespace

extern "C" {

int64_t cufort_takeRandomGroups(int64_t groups) { return drawnGroups.fetch_add(groups); }

int cufort_hasCurand() { return hasCurand(); }

void cufort_drawByCurand(void *generator, void *numbers, int64_t count, int isDouble, int64_t stream) {
  if (int status = drawByCurand(generator, numbers, count, isDouble, stream))
    failProgram(currentStatement().file, currentStatement().line,
                std::string("random_number: the generator of cuRAND says ") + curandStatusName(status) + " (" +
                    std::to_string(status) + ")");
}

} // extern "C"

} // namespace cufort::rt
