#include "runtime/Memory/Overlap.h"
#include "runtime/Memory/CopyPlan.h"
#include <algorithm>
#include <cstdlib>

namespace cufort::rt {
namespace {

/// Dimensions of more than one element, in ascending order of their strides, which are taken as positive: what is
/// looked at are differences of subscripts.
struct Steps {
  int rank = 0;
  int64_t stride[maxRank] = {};
  int64_t extent[maxRank] = {};
};

bool haveSameShape(const StridedArray &a, const StridedArray &b) {
  if (a.rank != b.rank || a.elementBytes != b.elementBytes)
    return false;
  for (int i = 0; i < a.rank; ++i)
    if (a.extent[i] != b.extent[i] || (a.extent[i] > 1 && a.stride[i] != b.stride[i]))
      return false;
  return true;
}

Steps stepsOf(const StridedArray &array) {
  Steps steps;
  for (int i = 0; i < array.rank; ++i) {
    if (array.extent[i] == 1)
      continue;
    int place = steps.rank++;
    int64_t stride = std::abs(array.stride[i]);
    for (; place > 0 && steps.stride[place - 1] > stride; --place) {
      steps.stride[place] = steps.stride[place - 1];
      steps.extent[place] = steps.extent[place - 1];
    }
    steps.stride[place] = stride;
    steps.extent[place] = array.extent[i];
  }
  return steps;
}

/// True if all elements of the dimensions before each one lie within a step of it.
bool areNested(const Steps &steps, int64_t elementBytes) {
  int64_t reach = elementBytes;
  for (int i = 0; i < steps.rank; ++i) {
    if (steps.stride[i] < reach)
      return false;
    reach += steps.stride[i] * (steps.extent[i] - 1);
  }
  return true;
}

/// True if elements of two arrays of the first `rank` dimensions of `steps`, so many bytes apart, have a byte in
/// common.
bool meet(const Steps &steps, int rank, int64_t distance, int64_t elementBytes) {
  if (rank == 0)
    return std::abs(distance) < elementBytes;
  int64_t stride = steps.stride[rank - 1], most = steps.extent[rank - 1] - 1;
  int64_t below = distance / stride - (distance % stride < 0);
  // What is left has to be less than a step, in one direction or the other.
  for (int64_t subscripts : {below, below + 1})
    if (std::abs(subscripts) <= most && meet(steps, rank - 1, distance - subscripts * stride, elementBytes))
      return true;
  return false;
}

} // namespace

bool mayOverlap(const StridedArray &a, const StridedArray &b) {
  size_t aBytes = 0, bBytes = 0;
  const char *aLow = spanOf(a, aBytes), *bLow = spanOf(b, bBytes);
  if (aLow >= bLow + bBytes || bLow >= aLow + aBytes)
    return false;
  if (!haveSameShape(a, b))
    return true;
  Steps steps = stepsOf(a);
  auto elementBytes = static_cast<int64_t>(a.elementBytes);
  return !areNested(steps, elementBytes) || meet(steps, steps.rank, bLow - aLow, elementBytes);
}

} // namespace cufort::rt
