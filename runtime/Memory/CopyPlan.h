// How a copy between two arrays of any strides is cut into copies that the driver can do.
#pragma once

#include "runtime/Memory/Copy.h"

namespace cufort::rt {

/// Two arrays of the same shape, reduced to what matters for copying: rows of `width` contiguous bytes in both, and the
/// fewest dimensions over them, in ascending order of the target's stride, which is never negative.
struct CopyPlan {
  char *dst = nullptr;
  const char *src = nullptr;
  size_t width = 0;
  int rank = 0;
  int64_t extent[maxRank] = {};
  int64_t dstStride[maxRank] = {};
  int64_t srcStride[maxRank] = {};

  /// How many dimensions one driver copy covers besides the row: 0, 1 or 2.
  int driverRank() const;
  /// Number of driver copies.
  size_t driverCopies() const;
  /// Number of rows.
  size_t rows() const;
};

/// Returns the plan for copying `src` to `dst`, which have the same extents and element size and are not empty.
CopyPlan makeCopyPlan(const StridedArray &dst, const StridedArray &src);

/// Copies on the host: row after row.
void copyOnHost(const CopyPlan &plan);

/// The lowest byte of `array` and, in `bytes`, the distance from it to the end of the highest.
char *spanOf(const StridedArray &array, size_t &bytes);

/// Returns an array of the shape of `array` over contiguous memory at `base`, whose elements follow one another in the
/// order in which those of `array` do in memory: copying between the two needs as few driver copies as `array` allows.
StridedArray packedLike(const StridedArray &array, void *base);

} // namespace cufort::rt
