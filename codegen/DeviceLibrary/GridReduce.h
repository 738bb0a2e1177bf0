// Reductions over a whole grid: the device side of a CUF kernel's reductions.
#pragma once

#include "codegen/DeviceLibrary/Complex.h"
#include "runtime/ABI/ReductionScratch.h"

using Word = unsigned int;
constexpr int slotBytes = CUFORT_REDUCTION_SLOT_BYTES;

inline CufortReductionResult &resultOf(char *scratch, int index) {
  return (*reinterpret_cast<CufortReductionResult **>(scratch))[index];
}
inline Word *counterSlot(char *scratch, int index) {
  return reinterpret_cast<Word *>(scratch - slotBytes * (1 + index));
}
inline char *partialSlot(char *scratch, int index, unsigned long blocks, unsigned long block) {
  return scratch + slotBytes * (1ul + index * blocks + block);
}

using cufort::device::Complex;

struct Add {
  template <typename T>
  static T apply(T a, T b) { return a + b; }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) { return a * b; }
};

/// A NaN does not count where there are numbers.
template <typename T>
bool isNoNumber(T a) { return a != a; }

struct Max {
  template <typename T>
  static T apply(T a, T b) { return a > b || isNoNumber(b) ? a : b; }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) { return a < b || isNoNumber(b) ? a : b; }
};
struct IAnd {
  template <typename T>
  static T apply(T a, T b) { return a & b; }
};
struct IOr {
  template <typename T>
  static T apply(T a, T b) { return a | b; }
};
struct IEor {
  template <typename T>
  static T apply(T a, T b) { return a ^ b; }
};
struct LAnd {
  template <typename T>
  static T apply(T a, T b) { return a && b; }
};
struct LOr {
  template <typename T>
  static T apply(T a, T b) { return a || b; }
};

// Any value but 0 is true.
struct LEqv {
  template <typename T>
  static T apply(T a, T b) { return !a == !b; }
};
struct LNeqv {
  template <typename T>
  static T apply(T a, T b) { return !a != !b; }
};

#define GRID_REDUCE_INTEGER(suffix, T)                                                                               \
  GRID_REDUCE(add, Add, suffix, T)                                                                                   \
  GRID_REDUCE(mul, Mul, suffix, T)                                                                                   \
  GRID_REDUCE(max, Max, suffix, T)                                                                                   \
  GRID_REDUCE(min, Min, suffix, T)                                                                                   \
  GRID_REDUCE(iand, IAnd, suffix, T)                                                                                 \
  GRID_REDUCE(ior, IOr, suffix, T)                                                                                   \
  GRID_REDUCE(ieor, IEor, suffix, T)                                                                                 \
  GRID_REDUCE(land, LAnd, suffix, T)                                                                                 \
  GRID_REDUCE(lor, LOr, suffix, T)                                                                                   \
  GRID_REDUCE(leqv, LEqv, suffix, T)                                                                                 \
  GRID_REDUCE(lneqv, LNeqv, suffix, T)
#define GRID_REDUCE_REAL(suffix, T)                                                                                  \
  GRID_REDUCE(add, Add, suffix, T)                                                                                   \
  GRID_REDUCE(mul, Mul, suffix, T)                                                                                   \
  GRID_REDUCE(max, Max, suffix, T)                                                                                   \
  GRID_REDUCE(min, Min, suffix, T)
#define GRID_REDUCE_COMPLEX(suffix, T)                                                                               \
  GRID_REDUCE(add, Add, suffix, T)                                                                                   \
  GRID_REDUCE(mul, Mul, suffix, T)
/// Every reduction of every type. The file that uses it defines GRID_REDUCE(kind, Operation, suffix, T), which defines
/// what __cufx_grid_reduce_KIND_SUFFIX(value, scratch, index, variable) needs: it combines the values of all threads of
/// the grid into resultOf(scratch, index), or with `variable` if that is not null.
#define GRID_REDUCE_ALL                                                                                              \
  GRID_REDUCE_INTEGER(i1, signed char)                                                                               \
  GRID_REDUCE_INTEGER(i2, short)                                                                                     \
  GRID_REDUCE_INTEGER(i4, int)                                                                                       \
  GRID_REDUCE_INTEGER(i8, long)                                                                                      \
  GRID_REDUCE_REAL(r2, _Float16)                                                                                     \
  GRID_REDUCE_REAL(r4, float)                                                                                        \
  GRID_REDUCE_REAL(r8, double)                                                                                       \
  GRID_REDUCE_COMPLEX(c4, Complex<float>)                                                                            \
  GRID_REDUCE_COMPLEX(c8, Complex<double>)
