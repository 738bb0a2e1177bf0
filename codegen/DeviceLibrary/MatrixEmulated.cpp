// Matrix products of a warp on the emulated device: what GPUs do with tensor cores.
//
// Which lane holds which element is up to a device. This one does as a GPU of compute capability 9.0 was seen to do, so
// that programs which look at elements of fragments find the same on both.

#include "runtime/ABI/EmulatedABI.h"

// The device link replaces these by what identifies the thread.
extern "C" int __cufx_extent_thread_idx_x();
extern "C" int __cufx_extent_thread_idx_y();
extern "C" int __cufx_extent_thread_idx_z();
extern "C" int __cufx_extent_block_dim_x();
extern "C" int __cufx_extent_block_dim_y();

namespace {

// The numbers of cufx.matrix_*: enums MatrixRole, MatrixShape and MatrixOrder in mlir-dialects/Cufx/IR/CufxEnums.td.
enum Role { roleA, roleB, roleC };
enum Order { column, row };
constexpr struct Shape { int m, n, k; } shapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {8, 8, 4}};

constexpr int lanes = 32, allLanes = -1;
constexpr int maxFactorElements = 512;

struct Position {
  int row, column;
};

/// How the lanes of a warp hold a matrix of real(2), or a sum of such products. Four lanes after one another share a
/// row, or a column if `isColumnwise`, and hold a pair of elements each in x(1:2). Further pairs are 8 rows or columns
/// away: x(3:4) is off by steps[0], x(5:8) by steps[1] and x(9:16) by steps[2]; a step of nowhere holds a pair twice.
struct Layout {
  int count;
  bool isColumnwise;
  Position steps[3];
};

constexpr Position nowhere{0, 0}, right{0, 8}, down{8, 0};

constexpr Layout layouts[3][3] = {
    {{16, false, {down, right, nowhere}}, {16, true, {down, right, nowhere}}, {8, false, {down, right, nowhere}}},
    {{16, false, {down, right, {16, 0}}}, {16, true, {down, nowhere, nowhere}}, {8, false, {down, {16, 0}, nowhere}}},
    {{16, false, {right, nowhere, nowhere}}, {16, true, {right, down, {0, 16}}}, {8, true, {right, {0, 16}, nowhere}}}};

constexpr int shapeOfDouble = 3;

int elementsPerLane(int shape, int role) {
  if (shape == shapeOfDouble)
    return role == roleC ? 2 : 1;
  return layouts[shape][role].count;
}

/// The place in the matrix of element `i` of what `lane` holds.
Position positionOf(int shape, int role, int lane, int i) {
  int group = lane / 4, member = lane % 4;
  if (shape == shapeOfDouble)
    return role == roleA   ? Position{group, member}
           : role == roleB ? Position{member, group}
                           : Position{group, 2 * member + i};
  const Layout &layout = layouts[shape][role];
  int along = 2 * member + (i & 1);
  Position result = layout.isColumnwise ? Position{along, group} : Position{group, along};
  for (int step = 0; step < 3; ++step)
    if (i >> (step + 1) & 1) {
      result.row += layout.steps[step].row;
      result.column += layout.steps[step].column;
    }
  return result;
}

/// Waits for the other lanes. Tensor cores take whole warps: what they do for fewer lanes is undefined.
void meetWarp(const char *where) {
  if (cufortEmuVoteBallot(allLanes, 1, where) != allLanes)
    cufortEmuTrap("the procedures of module wmma need all 32 threads of a warp", where);
}

void checkLeading(int leading, int bytes, const char *where) {
  if (leading <= 0 || leading * bytes % 16 != 0)
    cufortEmuTrap("the leading dimension of a wmma matrix is not a positive multiple of 16 bytes", where);
}

long offsetOf(Position position, int leading, int order) {
  return order == column ? position.row + static_cast<long>(position.column) * leading
                         : position.column + static_cast<long>(position.row) * leading;
}

int thisLane() {
  int rows = __cufx_extent_thread_idx_y() + __cufx_extent_block_dim_y() * __cufx_extent_thread_idx_z();
  return (__cufx_extent_thread_idx_x() + __cufx_extent_block_dim_x() * rows) % lanes;
}

double readElement(const void *memory, int index, int bytes) {
  switch (bytes) {
  case 2:
    return static_cast<double>(static_cast<const _Float16 *>(memory)[index]);
  case 4:
    return static_cast<const float *>(memory)[index];
  default:
    return static_cast<const double *>(memory)[index];
  }
}

void writeElement(void *memory, int index, int bytes, double value) {
  switch (bytes) {
  case 2:
    static_cast<_Float16 *>(memory)[index] = static_cast<_Float16>(value);
    break;
  case 4:
    static_cast<float *>(memory)[index] = static_cast<float>(value);
    break;
  default:
    static_cast<double *>(memory)[index] = value;
  }
}

/// The factors of a product, which lane 0 holds for the warp.
struct Factors {
  double a[maxFactorElements], b[maxFactorElements];
};

/// Writes what this lane holds of a and b to where the warp can see it: a by rows, b by columns.
void shareFactors(Factors &factors, const void *a, const void *b, int shape, int bytes) {
  int lane = thisLane(), k = shapes[shape].k;
  for (int i = 0; i < elementsPerLane(shape, roleA); ++i) {
    Position at = positionOf(shape, roleA, lane, i);
    factors.a[at.row * k + at.column] = readElement(a, i, bytes);
  }
  for (int i = 0; i < elementsPerLane(shape, roleB); ++i) {
    Position at = positionOf(shape, roleB, lane, i);
    factors.b[at.column * k + at.row] = readElement(b, i, bytes);
  }
}

double dotProduct(const Factors &factors, Position at, int k) {
  double sum = 0;
  for (int i = 0; i < k; ++i)
    sum += factors.a[at.row * k + i] * factors.b[at.column * k + i];
  return sum;
}

/// A load by the lanes of a warp. Checks for data races know of it if it `isNoted`.
template <bool isNoted>
void load(void *fragment, const void *memory, int leading, int role, int shape, int order, int bytes,
          const char *where) {
  checkLeading(leading, bytes, where);
  meetWarp(where); // what other lanes have stored to the matrix is there now
  auto *from = static_cast<const char *>(memory);
  for (int i = 0; i < elementsPerLane(shape, role); ++i) {
    const char *element = from + offsetOf(positionOf(shape, role, thisLane(), i), leading, order) * bytes;
    if (isNoted)
      cufortEmuSharedAccess(element, bytes, CufortEmuRead, where);
    __builtin_memcpy(static_cast<char *>(fragment) + i * bytes, element, bytes);
  }
}

template <bool isNoted>
void store(void *memory, const void *fragment, int leading, int shape, int order, int bytes, const char *where) {
  checkLeading(leading, bytes, where);
  meetWarp(where); // other lanes have loaded from the matrix by now
  auto *to = static_cast<char *>(memory);
  for (int i = 0; i < elementsPerLane(shape, roleC); ++i) {
    char *element = to + offsetOf(positionOf(shape, roleC, thisLane(), i), leading, order) * bytes;
    __builtin_memcpy(element, static_cast<const char *>(fragment) + i * bytes, bytes);
    if (isNoted)
      cufortEmuSharedAccess(element, bytes, CufortEmuWrite, where);
  }
}

} // namespace

extern "C" void __cufx_matrix_load(void *fragment, const void *memory, int leading, int role, int shape, int order,
                                   int bytes, const char *where) {
  load<false>(fragment, memory, leading, role, shape, order, bytes, where);
}

extern "C" void __cufx_matrix_load_noted(void *fragment, const void *memory, int leading, int role, int shape,
                                         int order, int bytes, const char *where) {
  load<true>(fragment, memory, leading, role, shape, order, bytes, where);
}

extern "C" void __cufx_matrix_store(void *memory, const void *fragment, int leading, int shape, int order, int bytes,
                                    const char *where) {
  store<false>(memory, fragment, leading, shape, order, bytes, where);
}

extern "C" void __cufx_matrix_store_noted(void *memory, const void *fragment, int leading, int shape, int order,
                                          int bytes, const char *where) {
  store<true>(memory, fragment, leading, shape, order, bytes, where);
}

/// Sums in double precision, rounded once: GPUs sum up products of real(2) more exactly than the sum is stored, too.
extern "C" void __cufx_matrix_multiply(void *d, const void *a, const void *b, const void *c, int shape, int dBytes,
                                       int cBytes, const char *where) {
  Factors mine;
  // Lane 0 has its own address there, the others have it from lane 0.
  auto *shared = reinterpret_cast<Factors *>(
      cufortEmuShuffle64(/*idx*/ 0, allLanes, reinterpret_cast<int64_t>(&mine), 0, lanes - 1, where));
  shareFactors(*shared, a, b, shape, shape == shapeOfDouble ? 8 : 2);
  cufortEmuWarpBarrier(allLanes, where);
  int count = elementsPerLane(shape, roleC);
  for (int i = 0; i < count; ++i) {
    double sum = dotProduct(*shared, positionOf(shape, roleC, thisLane(), i), shapes[shape].k);
    writeElement(d, i, dBytes, sum + (c ? readElement(c, i, cBytes) : 0));
  }
  cufortEmuWarpBarrier(allLanes, where); // lane 0 may go on, and its factors with it
}
