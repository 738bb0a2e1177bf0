#include "runtime/Memory/CopyPlan.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace cufort::rt {

namespace {

/// What CU_DEVICE_ATTRIBUTE_MAX_PITCH is on every device.
constexpr int64_t largestPitch = 0x7fffffff;

void swapDims(CopyPlan &plan, int a, int b) {
  std::swap(plan.extent[a], plan.extent[b]);
  std::swap(plan.dstStride[a], plan.dstStride[b]);
  std::swap(plan.srcStride[a], plan.srcStride[b]);
}

/// Walks dimension `i` from its other end.
void flip(CopyPlan &plan, int i) {
  plan.dst += (plan.extent[i] - 1) * plan.dstStride[i];
  plan.src += (plan.extent[i] - 1) * plan.srcStride[i];
  plan.dstStride[i] = -plan.dstStride[i];
  plan.srcStride[i] = -plan.srcStride[i];
}

void sortByTargetStride(CopyPlan &plan) {
  for (int i = 1; i < plan.rank; ++i)
    for (int j = i; j > 0 && plan.dstStride[j] < plan.dstStride[j - 1]; --j)
      swapDims(plan, j, j - 1);
}

void removeDim(CopyPlan &plan, int i) {
  for (int j = i; j + 1 < plan.rank; ++j)
    swapDims(plan, j, j + 1);
  --plan.rank;
}

void mergeDims(CopyPlan &plan) {
  auto width = static_cast<int64_t>(plan.width);
  while (plan.rank > 0 && plan.dstStride[0] == width && plan.srcStride[0] == width) {
    width *= plan.extent[0];
    removeDim(plan, 0);
  }
  plan.width = static_cast<size_t>(width);
  for (int i = 0; i + 1 < plan.rank;) {
    if (plan.dstStride[i + 1] == plan.dstStride[i] * plan.extent[i] &&
        plan.srcStride[i + 1] == plan.srcStride[i] * plan.extent[i]) {
      plan.extent[i] *= plan.extent[i + 1];
      removeDim(plan, i + 1);
    } else {
      ++i;
    }
  }
}

bool isPitch(int64_t stride, size_t width) { return stride >= static_cast<int64_t>(width) && stride <= largestPitch; }

/// True if slices of `extent` rows of `pitch` bytes repeat every `stride` bytes, as a 3-D copy needs it.
bool isSlicePitch(int64_t stride, int64_t pitch, int64_t extent) {
  return stride % pitch == 0 && stride / pitch >= extent;
}

/// Copies the rows of the first dimension, where the width is known to the compiler.
template <size_t width>
void copyFixedRows(const CopyPlan &plan, char *dst, const char *src) {
  for (int64_t i = 0; i < plan.extent[0]; ++i)
    std::memcpy(dst + i * plan.dstStride[0], src + i * plan.srcStride[0], width);
}

void copyHostRows(const CopyPlan &plan, char *dst, const char *src) {
  switch (plan.width) {
  case 1:
    return copyFixedRows<1>(plan, dst, src);
  case 2:
    return copyFixedRows<2>(plan, dst, src);
  case 4:
    return copyFixedRows<4>(plan, dst, src);
  case 8:
    return copyFixedRows<8>(plan, dst, src);
  case 16:
    return copyFixedRows<16>(plan, dst, src);
  default:
    for (int64_t i = 0; i < plan.extent[0]; ++i)
      std::memcpy(dst + i * plan.dstStride[0], src + i * plan.srcStride[0], plan.width);
  }
}

} // namespace

size_t StridedArray::elements() const {
  size_t count = 1;
  for (int i = 0; i < rank; ++i)
    count *= extent[i] > 0 ? static_cast<size_t>(extent[i]) : 0;
  return count;
}

bool StridedArray::isContiguous() const {
  auto expected = static_cast<int64_t>(elementBytes);
  if (elements() == 0)
    return true;
  for (int i = 0; i < rank; ++i) {
    if (extent[i] != 1 && stride[i] != expected)
      return false;
    expected *= extent[i];
  }
  return true;
}

int CopyPlan::driverRank() const {
  if (rank == 0 || !isPitch(dstStride[0], width) || !isPitch(srcStride[0], width))
    return 0;
  bool cube = rank > 1 && isSlicePitch(dstStride[1], dstStride[0], extent[0]) &&
              isSlicePitch(srcStride[1], srcStride[0], extent[0]);
  return cube ? 2 : 1;
}

size_t CopyPlan::driverCopies() const {
  size_t count = 1;
  for (int i = driverRank(); i < rank; ++i)
    count *= static_cast<size_t>(extent[i]);
  return count;
}

CopyPlan makeCopyPlan(const StridedArray &dst, const StridedArray &src) {
  CopyPlan plan;
  plan.dst = dst.base;
  plan.src = src.base;
  plan.width = dst.elementBytes;
  for (int i = 0; i < dst.rank; ++i) {
    if (dst.extent[i] == 1)
      continue;
    int d = plan.rank++;
    plan.extent[d] = dst.extent[i];
    plan.dstStride[d] = dst.stride[i];
    plan.srcStride[d] = src.stride[i];
    if (plan.dstStride[d] < 0)
      flip(plan, d);
  }
  sortByTargetStride(plan);
  mergeDims(plan);
  return plan;
}

size_t CopyPlan::rows() const {
  size_t count = 1;
  for (int i = 0; i < rank; ++i)
    count *= static_cast<size_t>(extent[i]);
  return count;
}

void copyOnHost(const CopyPlan &plan) {
  if (plan.rank == 0) {
    std::memmove(plan.dst, plan.src, plan.width);
    return;
  }
  int64_t at[maxRank] = {};
  char *dst = plan.dst;
  const char *src = plan.src;
  for (;;) {
    copyHostRows(plan, dst, src);
    int i = 1;
    for (; i < plan.rank; ++i) {
      dst += plan.dstStride[i];
      src += plan.srcStride[i];
      if (++at[i] < plan.extent[i])
        break;
      dst -= plan.dstStride[i] * plan.extent[i];
      src -= plan.srcStride[i] * plan.extent[i];
      at[i] = 0;
    }
    if (i >= plan.rank)
      return;
  }
}

char *spanOf(const StridedArray &array, size_t &bytes) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < array.rank; ++i) {
    int64_t reach = (array.extent[i] - 1) * array.stride[i];
    (reach < 0 ? low : high) += reach;
  }
  bytes = static_cast<size_t>(high - low) + array.elementBytes;
  return array.base + low;
}

StridedArray packedLike(const StridedArray &array, void *base) {
  StridedArray packed = array;
  packed.base = static_cast<char *>(base);
  bool placed[maxRank] = {};
  auto stride = static_cast<int64_t>(array.elementBytes);
  for (int n = 0; n < array.rank; ++n) {
    int next = -1;
    for (int i = 0; i < array.rank; ++i)
      if (!placed[i] && (next < 0 || std::abs(array.stride[i]) < std::abs(array.stride[next])))
        next = i;
    placed[next] = true;
    bool backwards = array.stride[next] < 0;
    packed.stride[next] = backwards ? -stride : stride;
    if (backwards)
      packed.base += (array.extent[next] - 1) * stride;
    stride *= array.extent[next];
  }
  return packed;
}

} // namespace cufort::rt
