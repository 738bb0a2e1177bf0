// The entry of the runtime ABI that chooses the grids of reductions, and what it has chosen before.

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Launch/Launch.h"
#include "runtime/Launch/ReductionGrid.h"
#include <algorithm>
#include <iterator>
#include <mutex>

namespace cufort::rt {

namespace {

/// The grid that has been chosen for a kernel.
struct GridChoice {
  const void *kernel = nullptr;
  int device = 0;
  int64_t needed[3] = {};
  int64_t given = 0, threads = 0;
  int64_t grid = 0; ///< as cufortReductionGrid returns it

  bool isFor(const GridChoice &other) const {
    return kernel == other.kernel && device == other.device && std::equal(needed, needed + 3, other.needed) &&
           given == other.given && threads == other.threads;
  }
};

/// The last choices of all threads. Loops come again with the same extents, and a choice takes about as long as a
/// launch.
class GridChoices {
public:
  /// Sets the grid of `asked` if it is among them.
  bool find(GridChoice &asked) {
    std::lock_guard<std::mutex> lock(mutex);
    const GridChoice &last = choiceOf(asked.kernel);
    if (!last.isFor(asked))
      return false;
    asked.grid = last.grid;
    return true;
  }
  void keep(const GridChoice &made) {
    std::lock_guard<std::mutex> lock(mutex);
    choiceOf(made.kernel) = made;
  }

private:
  GridChoice &choiceOf(const void *kernel) {
    return choices[(reinterpret_cast<uintptr_t>(kernel) >> 4) % std::size(choices)];
  }

  std::mutex mutex;
  GridChoice choices[64];
};

GridChoices gridChoices;

int64_t packedGrid(const ReductionGrid &grid) {
  int64_t packed = 0;
  for (int axis = 2; axis >= 0; --axis)
    packed = packed << CUFORT_GRID_EXTENT_BITS | grid.extent[axis];
  return packed;
}

/// How many blocks of `code` the device can run at once; 0 if it cannot be asked.
int64_t residentOf(const Current &current, KernelFunction &code, int64_t threads) {
  int64_t blocks = 0;
  return residentBlocks(current, code, threads, 0, blocks).ok() ? blocks : 0;
}

/// The version of `kernel` that usually runs in grids that cover axis 0, or in others; null if there is none.
KernelFunction *usualVersion(const Current &current, LoadedKernel &kernel, bool coversRows) {
  for (KernelVersion &version : kernel.versions)
    if (version.coversAxis(0) == coversRows)
      return codeOf(current, kernel, version);
  return nullptr;
}

/// Adds to `shape` what the device knows of a kernel: how many of its blocks run at once, or a usual number if the
/// device cannot be asked: the launch says why.
void askDevice(const Current &current, const void *stub, int64_t threads, ReductionShape &shape) {
  constexpr int64_t usual = 1024;
  LoadedKernel *kernel = nullptr;
  shape.resident = usual;
  if (!findKernel(current, stub, kernel).ok())
    return;
  KernelFunction *code = usualVersion(current, *kernel, /*coversRows=*/false);
  if (int64_t blocks = residentOf(current, code ? *code : kernel->general, threads))
    shape.resident = blocks;
  if (KernelFunction *rows = usualVersion(current, *kernel, /*coversRows=*/true))
    shape.residentOfRows = residentOf(current, *rows, threads);
}

} // namespace

} // namespace cufort::rt

using namespace cufort::rt;

extern "C" int64_t cufortReductionGrid(void *kernel, int64_t neededX, int64_t neededY, int64_t neededZ, int64_t given,
                                       int64_t threads, int32_t count, int32_t cost, int32_t isUneven) {
  constexpr int64_t moreThanAnyGridHas = 1 << 20;
  ReductionShape shape = {{neededX, neededY, neededZ}, given, moreThanAnyGridHas, count, cost, isUneven != 0};
  Current current;
  if (!cachedContext(current) && !currentContext(current))
    return packedGrid(chooseReductionGrid(shape));
  GridChoice choice = {kernel, current.device, {neededX, neededY, neededZ}, given, threads, 0};
  if (gridChoices.find(choice))
    return choice.grid;
  if (!usingEmulatedDevice())
    askDevice(current, kernel, threads, shape);
  choice.grid = packedGrid(chooseReductionGrid(shape));
  gridChoices.keep(choice);
  return choice.grid;
}
