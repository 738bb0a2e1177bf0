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
  /// What runs in grids that cover axis 0, and in others; null if the device cannot be asked.
  const KernelFunction *rows = nullptr, *others = nullptr;
  int64_t grid = 0; ///< as cufortReductionGrid returns it

  bool isFor(const GridChoice &other) const {
    return kernel == other.kernel && device == other.device && std::equal(needed, needed + 3, other.needed) &&
           given == other.given && threads == other.threads && rows == other.rows && others == other.others;
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
int64_t residentOf(const Current &current, const KernelFunction &code, int64_t threads) {
  int64_t blocks = 0;
  return residentBlocks(current, code, threads, 0, blocks).ok() ? blocks : 0;
}

/// Sets what runs, if the device knows the kernel: if it does not, the launch says why.
void findCode(const Current &current, LaunchConfig config, void **params, GridChoice &choice) {
  LoadedKernel *kernel = nullptr;
  if (!findKernel(current, choice.kernel, kernel).ok())
    return;
  std::copy(choice.needed, choice.needed + 3, config.grid);
  choice.rows = &codeOfLaunch(current, *kernel, config, params);
  std::fill(config.grid, config.grid + 3, -1);
  choice.others = &codeOfLaunch(current, *kernel, config, params);
}

/// Adds to `shape` what the device knows of the kernel: how many of its blocks run at once.
void askDevice(const Current &current, const GridChoice &choice, ReductionShape &shape) {
  constexpr int64_t usual = 1024;
  int64_t blocks = choice.others ? residentOf(current, *choice.others, choice.threads) : 0;
  shape.resident = blocks ? blocks : usual;
  if (choice.rows != choice.others)
    shape.residentOfRows = residentOf(current, *choice.rows, choice.threads);
}

} // namespace

} // namespace cufort::rt

using namespace cufort::rt;

extern "C" int64_t cufortReductionGrid(void *kernel, int64_t neededX, int64_t neededY, int64_t neededZ, int64_t given,
                                       int64_t blockX, int64_t blockY, int64_t blockZ, int32_t count, int32_t cost,
                                       int32_t isUneven, void **params) {
  constexpr int64_t moreThanAnyGridHas = 1 << 20;
  ReductionShape shape = {{neededX, neededY, neededZ}, given, moreThanAnyGridHas, count, cost, isUneven != 0};
  Current current;
  if (!cachedContext(current) && !currentContext(current))
    return packedGrid(chooseReductionGrid(shape));
  GridChoice choice;
  choice.kernel = kernel;
  choice.device = current.device;
  std::copy(shape.needed, shape.needed + 3, choice.needed);
  choice.given = given;
  choice.threads = blockX * blockY * blockZ;
  if (!usingEmulatedDevice()) {
    LaunchConfig config;
    config.block[0] = blockX, config.block[1] = blockY, config.block[2] = blockZ;
    findCode(current, config, params, choice);
  }
  if (gridChoices.find(choice))
    return choice.grid;
  if (!usingEmulatedDevice())
    askDevice(current, choice, shape);
  choice.grid = packedGrid(chooseReductionGrid(shape));
  gridChoices.keep(choice);
  return choice.grid;
}
