// TRANSPOSE of device arrays, and RESHAPE with ORDER, as copies with another order of dimensions. The kernels are
// Fortran: frontend/Modules/cufort_permutation.cuf.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/FlangEntries/PermutedShape.h"
#include <limits>
#include <optional>

using namespace cufort::rt;

extern "C" {
using Permute = void(void *to, const void *from, const PermutedShape *shape);
Permute cufortPermute1, cufortPermute2, cufortPermute4, cufortPermute8, cufortPermute16;
}

namespace {

/// Below this a tile, or a warp's part of a row, would be mostly empty.
constexpr int64_t fewestInTile = 16, fewestInRow = 64;

Permute *kernelFor(size_t elementBytes) {
  switch (elementBytes) {
  case 1:
    return cufortPermute1;
  case 2:
    return cufortPermute2;
  case 4:
    return cufortPermute4;
  case 8:
    return cufortPermute8;
  case 16:
    return cufortPermute16;
  default:
    return nullptr;
  }
}

/// A dimension of the source, and the one of the copy that it becomes.
struct Dimension {
  int64_t extent, from, to;
};

/// The dimensions of `from` in order; none if they do not become those of `to` one by one, or if neighbours in one are
/// not a number of elements apart.
bool matchDimensions(const FortranDescriptor &to, const FortranDescriptor &from, int64_t order,
                     Dimension (&dimensions)[maxRank]) {
  const int64_t elementBytes = static_cast<int64_t>(from.elementBytes);
  if (from.rank < 2 || to.rank != from.rank || to.elementBytes != from.elementBytes)
    return false;
  for (int d = 0; d < from.rank; ++d, order >>= 4) {
    const int64_t place = (order & 15) - 1;
    if (place < 0 || place >= to.rank)
      return false;
    const FortranDim &source = from.dim[d], &result = to.dim[place];
    if (source.extent != result.extent || source.byteStride % elementBytes || result.byteStride % elementBytes)
      return false;
    dimensions[d] = {source.extent, source.byteStride / elementBytes, result.byteStride / elementBytes};
  }
  return true;
}

/// How the kernels see a copy of `rank` dimensions; none if it is not worth them.
std::optional<PermutedShape> shapeOf(const Dimension (&dimensions)[maxRank], int rank, int64_t order) {
  int columns = 1;
  PermutedShape shape;
  shape.turned = (order & 15) != 1;
  for (int d = 1; d < rank; ++d)
    if (shape.turned && (order >> 4 * d & 15) == 1)
      columns = d;
  const Dimension &row = dimensions[0], &column = dimensions[columns];
  shape.rows = row.extent;
  shape.columns = column.extent;
  shape.fromRow = row.from;
  shape.toRow = row.to;
  shape.fromColumn = column.from;
  shape.toColumn = column.to;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t others = 1;
  for (int d = 1; d < rank; ++d) {
    if (d == columns)
      continue;
    if (dimensions[d].extent > most || (others *= dimensions[d].extent) > most)
      return std::nullopt;
    const int place = shape.dimensions++;
    shape.extents[place] = static_cast<int32_t>(dimensions[d].extent);
    shape.fromOther[place] = dimensions[d].from;
    shape.toOther[place] = dimensions[d].to;
  }
  shape.others = static_cast<int32_t>(others);
  const bool isWorthIt = shape.turned ? shape.rows >= fewestInTile && shape.columns >= fewestInTile
                                      : shape.rows >= fewestInRow && shape.columns > 0 && rank > 2;
  if (!isWorthIt || shape.rows > most || !others)
    return std::nullopt;
  return shape;
}

} // namespace

int32_t cufortPermute(void *to, void *from, int64_t order) {
  const auto &copy = *static_cast<const FortranDescriptor *>(to);
  const auto &source = *static_cast<const FortranDescriptor *>(from);
  Permute *kernel = kernelFor(source.elementBytes);
  Dimension dimensions[maxRank];
  if (!kernel || !matchDimensions(copy, source, order, dimensions))
    return false;
  const auto shape = shapeOf(dimensions, source.rank, order);
  if (!shape)
    return false;
  kernel(copy.base, source.base, &*shape);
  return true;
}
