// What the kernels that copy arrays with another order of dimensions are told: the type `permutation` of
// frontend/Modules/cufort_permutation.cuf.
#pragma once

#include "runtime/Memory/Copy.h"
#include <cstdint>

namespace cufort::rt {

/// Blocks divide rows and columns among them. Rows are along the first dimension of the source; columns along that of
/// the copy if it is another, else along the second of the source. Distances are in elements.
struct PermutedShape {
  static constexpr int mostOthers = maxRank - 2;

  int64_t rows = 1, columns = 1;                                ///< extents
  int64_t fromRow = 0, fromColumn = 0, toRow = 0, toColumn = 0; ///< how far apart neighbours are
  int32_t others = 1;                                           ///< the product of the other extents
  int32_t dimensions = 0;                                       ///< how many others there are
  int32_t turned = 0; ///< 1 if columns are contiguous in the copy, 0 if rows are
  int32_t extents[mostOthers] = {};
  int64_t fromOther[mostOthers] = {}, toOther[mostOthers] = {};
};

} // namespace cufort::rt
