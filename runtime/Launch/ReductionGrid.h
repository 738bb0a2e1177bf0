// Grids for kernels that reduce variables.
#pragma once

#include <cstdint>

namespace cufort::rt {

/// What a grid is to cover, and what with. Extents count from x on.
struct ReductionShape {
  int64_t needed[3]; ///< blocks that would give each iteration a thread, at least 1 each
  int64_t given;     ///< product of the extents that the program gives; `needed` is 1 there
  int64_t resident;  ///< blocks that the device can run at once
  int count;         ///< variables that are reduced
  int cost;          ///< operations of an iteration
  bool isUneven;     ///< iterations may take quite different times
  /// The same as `resident` for a version without the loop on axis 0, for grids that cover it; 0 if there is none.
  int64_t residentOfRows = 0;
};

struct ReductionGrid {
  int64_t extent[3];
};

/// The grid for which a model of the launch is fastest: few steps of each thread over the iterations, none of them for
/// a part of the blocks only, and few blocks, because each has to reduce its threads' values at its end. No more than
/// 2048 blocks, 8192 if iterations are long, as far as the given extents allow, so that the last block, which
/// combines what the others have come to, is soon done.
ReductionGrid chooseReductionGrid(const ReductionShape &shape);

} // namespace cufort::rt
