// Reductions that Flang leaves to its runtime: SUM, PRODUCT, MAXVAL, MINVAL, COUNT, ANY and ALL along a dimension that
// is known only when the program runs, and IALL, IANY, IPARITY and PARITY. Semantics: Fortran 2018 clause 16.9.

#include "codegen/DeviceLibrary/ArrayResults.h"
#include "codegen/DeviceLibrary/Complex.h"
#include "codegen/DeviceLibrary/Strings.h"

using namespace cufort::device;

namespace {

/// What the elements of a line become one value by.
enum class Reduction { Sum, Product, Max, Min, And, Or, ExclusiveOr };

template <typename Real>
Complex<Real> combine(Reduction reduction, Complex<Real> a, Complex<Real> b) {
  return reduction == Reduction::Sum ? a + b : a * b;
}

/// Of reals there are no bits.
inline _Float16 combineBits(Reduction, _Float16 a, _Float16) { return a; }
inline float combineBits(Reduction, float a, float) { return a; }
inline double combineBits(Reduction, double a, double) { return a; }
template <typename Integer>
Integer combineBits(Reduction reduction, Integer a, Integer b) {
  return static_cast<Integer>(reduction == Reduction::And ? a & b : reduction == Reduction::Or ? a | b : a ^ b);
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
  case Reduction::Min:
    return b < a || a != a ? b : a;
  default:
    return combineBits(reduction, a, b);
  }
}

template <typename Integer>
constexpr Integer highest(Integer) {
  return static_cast<Integer>((1ul << (8 * sizeof(Integer) - 1)) - 1);
}
constexpr _Float16 highest(_Float16) { return 65504; }
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
constexpr _Float16 lowest(_Float16) { return -65504; }
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

template <typename Integer>
constexpr Integer allBits(Integer) {
  return static_cast<Integer>(~0ul);
}
constexpr _Float16 allBits(_Float16) { return 0; }
constexpr float allBits(float) { return 0; }
constexpr double allBits(double) { return 0; }
template <typename Real>
constexpr Complex<Real> allBits(Complex<Real>) {
  return {};
}

/// The value of a line without elements.
template <typename T>
T identityOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Product:
    return one(T{});
  case Reduction::Max:
    return lowest(T{});
  case Reduction::Min:
    return highest(T{});
  case Reduction::And:
    return allBits(T{});
  default:
    return T{};
  }
}

template <typename T>
T reduceElements(Reduction reduction, const Descriptor &array, const Descriptor *mask) {
  T value = identityOf<T>(reduction);
  for (long i = 0; i < elementCount(array); ++i)
    if (isSelected(mask, i))
      value = combine(reduction, value, elementAs<T>(array, i));
  return value;
}

template <typename T>
void reduceLines(Reduction reduction, Descriptor &result, const Descriptor &array, int dim, const Descriptor *mask) {
  for (long i = 0; i < elementCount(result); ++i) {
    Descriptor line = lineOf(array, dim, i), maskLine = mask ? lineOfMask(*mask, dim, i) : Descriptor();
    *reinterpret_cast<T *>(elementAddress(result, i)) = reduceElements<T>(reduction, line, mask ? &maskLine : nullptr);
  }
}

void findExtremeStrings(Descriptor &result, const Descriptor &array, int dim, const Descriptor *mask, bool isMax) {
  for (long i = 0; i < elementCount(result); ++i) {
    Descriptor maskLine = mask ? lineOfMask(*mask, dim, i) : Descriptor();
    storeExtreme(elementAddress(result, i), lineOf(array, dim, i), mask ? &maskLine : nullptr, isMax);
  }
}

void reduceAlong(Reduction reduction, Descriptor &result, const Descriptor &array, int dim, const Descriptor *mask) {
  setReducedShape(result, array, dim);
  allocateResult(result, array.elementBytes);
  if (array.type == character)
    return findExtremeStrings(result, array, dim, mask, reduction == Reduction::Max);
  if (array.type == real2)
    return reduceLines<_Float16>(reduction, result, array, dim, mask);
  if (array.type == real4)
    return reduceLines<float>(reduction, result, array, dim, mask);
  if (array.type == real8)
    return reduceLines<double>(reduction, result, array, dim, mask);
  if (array.type == complex4)
    return reduceLines<Complex<float>>(reduction, result, array, dim, mask);
  if (array.type == complex8)
    return reduceLines<Complex<double>>(reduction, result, array, dim, mask);
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

#define CUFORT_BIT_REDUCTION(name, reduction)                                                                          \
  extern "C" signed char _FortranA##name##1(const Descriptor *array, const char *, int, int, const Descriptor *mask) { \
    return reduceElements<signed char>(reduction, *array, mask);                                                       \
  }                                                                                                                    \
  extern "C" short _FortranA##name##2(const Descriptor *array, const char *, int, int, const Descriptor *mask) {       \
    return reduceElements<short>(reduction, *array, mask);                                                             \
  }                                                                                                                    \
  extern "C" int _FortranA##name##4(const Descriptor *array, const char *, int, int, const Descriptor *mask) {         \
    return reduceElements<int>(reduction, *array, mask);                                                               \
  }                                                                                                                    \
  extern "C" long _FortranA##name##8(const Descriptor *array, const char *, int, int, const Descriptor *mask) {        \
    return reduceElements<long>(reduction, *array, mask);                                                              \
  }                                                                                                                    \
  extern "C" void _FortranA##name##Dim(Descriptor *result, const Descriptor *array, int dim, const char *, int,        \
                                       const Descriptor *mask) {                                                       \
    reduceAlong(reduction, *result, *array, dim, mask);                                                                \
  }
CUFORT_BIT_REDUCTION(IAll, Reduction::And)
CUFORT_BIT_REDUCTION(IAny, Reduction::Or)
CUFORT_BIT_REDUCTION(IParity, Reduction::ExclusiveOr)

extern "C" bool _FortranAParity(const Descriptor *mask, const char *, int, int) { return countTrue(*mask) % 2; }

extern "C" void _FortranAParityDim(Descriptor *result, const Descriptor *mask, int dim, const char *, int) {
  setReducedShape(*result, *mask, dim);
  allocateResult(*result, mask->elementBytes);
  for (long i = 0; i < elementCount(*result); ++i)
    storeInteger(elementAddress(*result, i), mask->elementBytes, countTrue(lineOf(*mask, dim, i)) % 2);
}
