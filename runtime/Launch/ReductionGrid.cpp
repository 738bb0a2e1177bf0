// Blocks stride over the iterations. With g blocks where n would be needed, each block has n / g steps on the axis,
// rounded up: 1000 steps over 999 blocks take as long as over 500. Candidates are therefore the least g for a number of
// steps: few steps, and those around which the grid is full, or the device is. Where iterations are long and
// uneven, several blocks for each place on the device even out what one of them takes longer.

#include "runtime/Launch/ReductionGrid.h"
#include "runtime/Support/FloatTraps.h"
#include <algorithm>
#include <cmath>

namespace cufort::rt {

namespace {

constexpr int64_t mostBlocks = 2048, mostLongBlocks = 8192;

/// Iterations with so many operations are long. What is known of shorter ones, whose time is often that of memory, is
/// too little.
constexpr int longCost = 1200;

// The model, for an H200; the unit is a step on the innermost loop, with about `usualCost` operations if it is long.
constexpr double usualCost = 128;
constexpr double stepsToNextRow = 2;    ///< outer loops: addresses are computed again
constexpr double stepsToReduce = 2.5;   ///< a block's threads, for each variable
constexpr double lostAtEnd = 0.05;      ///< of a wave of blocks, which do not end together
constexpr double lostIfPart = 0.4;      ///< of what the last wave leaves of the device unused
constexpr double lostBesideRows = 0.15; ///< of the steps over axis 0 that a version for rows would do without
constexpr double lostIfApart = 0.04;    ///< of the steps, if planes are at work side by side, and not all of their rows
constexpr double lostIfUneven = 0.15;   ///< of the steps of a block, until the last one ends

int64_t roundedUp(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

/// Extents of one axis that are worth a look.
class Candidates {
public:
  /// At most `most` blocks; `resident` are enough for all that the device runs at once. Outer axes need `outer` blocks
  /// for each of these.
  Candidates(int64_t needed, int64_t most, int64_t resident, int64_t outer) : needed(needed), most(most) {
    for (int64_t steps : {1, 2, 4, 8, 16})
      add(steps);
    int64_t enough = std::clamp<int64_t>(resident, 1, most);
    for (int64_t blocks : {most, enough})
      for (int64_t more = 0; more < 4; ++more)
        add(roundedUp(needed, blocks) + more);
    if (outer > 1 && outer <= enough)
      add(roundedUp(needed, enough / outer));
  }
  const int64_t *begin() const { return extents; }
  const int64_t *end() const { return extents + count; }

private:
  void add(int64_t steps) {
    int64_t extent = roundedUp(needed, std::min(steps, needed));
    if (extent <= most && std::find(begin(), end(), extent) == end())
      extents[count++] = extent;
  }

  int64_t needed, most;
  int64_t extents[14];
  int count = 0;
};

/// True if the version for rows runs in grids of so many blocks on axis 0.
bool coversRows(const ReductionShape &shape, int64_t extent) {
  return shape.residentOfRows > 0 && extent == shape.needed[0];
}

int64_t residentIn(const ReductionShape &shape, int64_t extent) {
  return coversRows(shape, extent) ? shape.residentOfRows : shape.resident;
}

double timeOf(const ReductionShape &shape, const ReductionGrid &grid) {
  double rows = 1, blocks = double(shape.given);
  for (int axis : {1, 2})
    rows *= double(roundedUp(shape.needed[axis], grid.extent[axis]));
  for (int64_t extent : grid.extent)
    blocks *= double(extent);
  bool isNest = shape.needed[1] > 1 || shape.needed[2] > 1, areRows = coversRows(shape, grid.extent[0]);
  double toNext = isNest && !areRows ? stepsToNextRow : 0;
  double steps = rows * (double(roundedUp(shape.needed[0], grid.extent[0])) + toNext);
  if (shape.residentOfRows > 0 && !areRows)
    steps *= 1 + lostBesideRows;
  if (grid.extent[2] > 1 && grid.extent[1] < shape.needed[1])
    steps *= 1 + lostIfApart;
  double waves = std::max(1.0, blocks / double(residentIn(shape, grid.extent[0])));
  double reductions = stepsToReduce * shape.count, lost = lostAtEnd + lostIfPart * (std::ceil(waves) - waves);
  if (shape.cost >= longCost) {
    reductions *= usualCost / shape.cost;
    lost = shape.isUneven ? lostIfUneven : lost;
  }
  return steps * (waves + lost) + reductions * waves;
}

} // namespace

ReductionGrid chooseReductionGrid(const ReductionShape &shape) {
  int64_t mostInAll = shape.cost >= longCost ? mostLongBlocks : mostBlocks;
  int64_t most = std::max<int64_t>(mostInAll / shape.given, 1);
  ReductionGrid best = {{1, 1, 1}};
  ExceptionsOff exceptionsOff;
  double bestTime = timeOf(shape, best);
  auto [neededX, neededY, neededZ] = shape.needed;
  for (int64_t x : Candidates(neededX, most, shape.resident / shape.given, neededY * neededZ)) {
    int64_t resident = residentIn(shape, x) / shape.given;
    for (int64_t y : Candidates(neededY, most / x, resident / x, neededZ))
      for (int64_t z : Candidates(neededZ, most / x / y, resident / x / y, 1)) {
        ReductionGrid grid = {{x, y, z}};
        double time = timeOf(shape, grid);
        if (time < bestTime)
          best = grid, bestTime = time;
      }
  }
  return best;
}

} // namespace cufort::rt
