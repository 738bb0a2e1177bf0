// Reductions along one dimension, which Flang leaves to its runtime where DIM is known only when the program runs: SUM,
// PRODUCT, MAXVAL, MINVAL, COUNT, ANY and ALL. Semantics: Fortran 2018 clause 16.9.

#include "codegen/DeviceLibrary/ArrayResults.h"
#include "codegen/DeviceLibrary/Complex.h"

using namespace cufort::device;

namespace {

/// What the elements of a line become one value by.
enum class Reduction { Sum, Product, Max, Min };

template <typename Real>
Complex<Real> combine(Reduction reduction, Complex<Real> a, Complex<Real> b) {
  return reduction == Reduction::Sum ? a + b : a * b;
}

template <typename T>
T combine(Reduction reduction, T a, T b) {
  switch (reduction) {
  case Reduction::Sum:
    return static_cast<T>(a + b);
  case Reduction::Product:
    return static_cast<T>(a * b);
  case Reduction::Max:
    return a < b || a != a ? b : a;
  default:
    return b < a || a != a ? b : a;
  }
}

template <typename Integer>
constexpr Integer highest(Integer) {
  return static_cast<Integer>((1ul << (8 * sizeof(Integer) - 1)) - 1);
}
constexpr float highest(float) { return __FLT_MAX__; }
constexpr double highest(double) { return __DBL_MAX__; }
/// Complex numbers have no order.
template <typename Real>
constexpr Complex<Real> highest(Complex<Real>) {
  return {};
}

template <typename Integer>
constexpr Integer lowest(Integer) {
  return static_cast<Integer>(-highest(Integer()) - 1);
}
constexpr float lowest(float) { return -__FLT_MAX__; }
constexpr double lowest(double) { return -__DBL_MAX__; }
template <typename Real>
constexpr Complex<Real> lowest(Complex<Real>) {
  return {};
}

template <typename T>
constexpr T one(T) {
  return 1;
}
template <typename Real>
constexpr Complex<Real> one(Complex<Real>) {
  return {1, 0};
}

/// The value of a line without elements.
template <typename T>
T identityOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return T{};
  case Reduction::Product:
    return one(T{});
  case Reduction::Max:
    return lowest(T{});
  default:
    return highest(T{});
  }
}

template <typename T>
void reduceLines(Reduction reduction, Descriptor &result, const Descriptor &array, int dim, const Descriptor *mask) {
  for (long i = 0; i < elementCount(result); ++i) {
    Descriptor line = lineOf(array, dim, i), maskLine;
    if (mask)
      maskLine = mask->rank ? lineOf(*mask, dim, i) : *mask;
    T value = identityOf<T>(reduction);
    for (long j = 0; j < elementCount(line); ++j)
      if (isSelected(mask ? &maskLine : nullptr, j))
        value = combine(reduction, value, elementAs<T>(line, j));
    *reinterpret_cast<T *>(elementAddress(result, i)) = value;
  }
}

void reduceAlong(Reduction reduction, Descriptor &result, const Descriptor &array, int dim, const Descriptor *mask) {
  setReducedShape(result, array, dim);
  allocateResult(result, array.elementBytes);
  if (array.type == real4)
    return reduceLines<float>(reduction, result, array, dim, mask);
  if (array.type == real8)
    return reduceLines<double>(reduction, result, array, dim, mask);
  if (array.type == complex4)
    return reduceLines<Complex<float>>(reduction, result, array, dim, mask);
  if (array.type == complex8)
    return reduceLines<Complex<double>>(reduction, result, array, dim, mask);
  // SUM and PRODUCT are not for these (CUDA Fortran guide, table 8), and strings have no reductions here.
  if (array.type == real2 || array.elementBytes > sizeof(long))
    __builtin_trap();
  switch (array.elementBytes) {
  case 1:
    return reduceLines<signed char>(reduction, result, array, dim, mask);
  case 2:
    return reduceLines<short>(reduction, result, array, dim, mask);
  case 4:
    return reduceLines<int>(reduction, result, array, dim, mask);
  default:
    return reduceLines<long>(reduction, result, array, dim, mask);
  }
}

long countTrue(const Descriptor &line) {
  long count = 0;
  for (long i = 0; i < elementCount(line); ++i)
    count += isSelected(&line, i);
  return count;
}

} // namespace

extern "C" void _FortranASumDim(Descriptor *result, const Descriptor *array, int dim, const char *, int,
                                const Descriptor *mask) {
  reduceAlong(Reduction::Sum, *result, *array, dim, mask);
}

extern "C" void _FortranAProductDim(Descriptor *result, const Descriptor *array, int dim, const char *, int,
                                    const Descriptor *mask) {
  reduceAlong(Reduction::Product, *result, *array, dim, mask);
}

extern "C" void _FortranAMaxvalDim(Descriptor *result, const Descriptor *array, int dim, const char *, int,
                                   const Descriptor *mask) {
  reduceAlong(Reduction::Max, *result, *array, dim, mask);
}

extern "C" void _FortranAMinvalDim(Descriptor *result, const Descriptor *array, int dim, const char *, int,
                                   const Descriptor *mask) {
  reduceAlong(Reduction::Min, *result, *array, dim, mask);
}

extern "C" void _FortranACountDim(Descriptor *result, const Descriptor *mask, int dim, int kind, const char *, int) {
  setReducedShape(*result, *mask, dim);
  allocateResult(*result, kind);
  for (long i = 0; i < elementCount(*result); ++i)
    storeInteger(elementAddress(*result, i), kind, countTrue(lineOf(*mask, dim, i)));
}

extern "C" void _FortranAAnyDim(Descriptor *result, const Descriptor *mask, int dim, const char *, int) {
  setReducedShape(*result, *mask, dim);
  allocateResult(*result, mask->elementBytes);
  for (long i = 0; i < elementCount(*result); ++i)
    storeInteger(elementAddress(*result, i), mask->elementBytes, countTrue(lineOf(*mask, dim, i)) != 0);
}

extern "C" void _FortranAAllDim(Descriptor *result, const Descriptor *mask, int dim, const char *, int) {
  setReducedShape(*result, *mask, dim);
  allocateResult(*result, mask->elementBytes);
  for (long i = 0; i < elementCount(*result); ++i) {
    Descriptor line = lineOf(*mask, dim, i);
    storeInteger(elementAddress(*result, i), mask->elementBytes, countTrue(line) == elementCount(line));
  }
}
