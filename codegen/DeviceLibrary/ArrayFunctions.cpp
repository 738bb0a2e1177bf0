// The functions of arrays that Flang leaves to its runtime: NORM2, MAXLOC and MINLOC with BACK, and TRANSFER.
// Semantics: Fortran 2018 clause 16.9.

#include "codegen/DeviceLibrary/ArrayResults.h"

using namespace cufort::device;

//===-- NORM2 -----------------------------------------------------------------------------------------------------===//

/// The Euclidean norm, scaled by the largest element so that no square overflows.
template <typename Real>
static Real norm2(const Descriptor &array) {
  long count = elementCount(array);
  Real largest = 0;
  for (long i = 0; i < count; ++i) {
    Real size = __builtin_fabs(elementAs<Real>(array, i));
    largest = size > largest ? size : largest;
  }
  if (largest == 0)
    return 0;
  Real sum = 0;
  for (long i = 0; i < count; ++i) {
    Real scaled = elementAs<Real>(array, i) / largest;
    sum += scaled * scaled;
  }
  return largest * static_cast<Real>(__builtin_sqrt(sum));
}

extern "C" float _FortranANorm2_4(const Descriptor *array, const char *, int, int) { return norm2<float>(*array); }
extern "C" double _FortranANorm2_8(const Descriptor *array, const char *, int, int) { return norm2<double>(*array); }

extern "C" void _FortranANorm2Dim(Descriptor *result, const Descriptor *array, int dim, const char *, int) {
  setReducedShape(*result, *array, dim);
  allocateResult(*result, array->elementBytes);
  for (long i = 0; i < elementCount(*result); ++i) {
    Descriptor line = lineOf(*array, dim, i);
    if (array->elementBytes == sizeof(float))
      *reinterpret_cast<float *>(elementAddress(*result, i)) = norm2<float>(line);
    else
      *reinterpret_cast<double *>(elementAddress(*result, i)) = norm2<double>(line);
  }
}

//===-- MAXLOC and MINLOC -----------------------------------------------------------------------------------------===//

/// What an element has to be to take the place of the one found before it.
struct Search {
  bool isMax;
  bool isBack; ///< of equal elements the last one counts
};

/// A NaN is found only where all elements are NaN.
template <typename T>
static bool takesPlaceOf(T previous, T value, Search search) {
  if (previous != previous)
    return search.isBack || value == value;
  if (value == previous)
    return search.isBack;
  return search.isMax ? value > previous : value < previous;
}

/// The number of the element found in `array`, from 0 on in array element order, or -1 if the mask leaves none.
template <typename T>
static long findElement(const Descriptor &array, const Descriptor *mask, Search search) {
  long found = -1, count = elementCount(array);
  for (long i = 0; i < count; ++i)
    if (isSelected(mask, i) && (found < 0 || takesPlaceOf(elementAs<T>(array, found), elementAs<T>(array, i), search)))
      found = i;
  return found;
}

static long findElementOfAnyType(const Descriptor &array, const Descriptor *mask, Search search) {
  if (array.type == real4)
    return findElement<float>(array, mask, search);
  if (array.type == real8)
    return findElement<double>(array, mask, search);
  // MAXLOC and MINLOC are not for these.
  if (array.type == real2)
    __builtin_trap();
  switch (array.elementBytes) {
  case 1:
    return findElement<signed char>(array, mask, search);
  case 2:
    return findElement<short>(array, mask, search);
  case 4:
    return findElement<int>(array, mask, search);
  default:
    return findElement<long>(array, mask, search);
  }
}

/// Without DIM the result is the array of all subscripts, zeros if nothing is found.
template <typename T>
static void findSubscripts(Descriptor &result, const Descriptor &array, int kind, const Descriptor *mask,
                           Search search) {
  result.rank = 1;
  result.dim[0].extent = array.rank;
  allocateResult(result, kind);
  long found = findElement<T>(array, mask, search);
  for (int i = 0; i < array.rank; ++i) {
    long extent = array.dim[i].extent;
    storeInteger(result.base + i * kind, kind, found < 0 ? 0 : found % extent + 1);
    found = found < 0 ? found : found / extent;
  }
}

/// With DIM the result has the subscripts along that dimension.
static void findAlongDimension(Descriptor &result, const Descriptor &array, int kind, int dim, const Descriptor *mask,
                               Search search) {
  setReducedShape(result, array, dim);
  allocateResult(result, kind);
  for (long i = 0; i < elementCount(result); ++i) {
    Descriptor maskLine;
    if (mask)
      maskLine = mask->rank ? lineOf(*mask, dim, i) : *mask;
    long found = findElementOfAnyType(lineOf(array, dim, i), mask ? &maskLine : nullptr, search);
    storeInteger(result.base + i * kind, kind, found + 1);
  }
}

#define CUFORT_LOCATIONS_OF(suffix, T)                                                                                 \
  extern "C" void _FortranAMaxloc##suffix(Descriptor *result, const Descriptor *array, int kind, const char *, int,    \
                                          const Descriptor *mask, bool back) {                                         \
    findSubscripts<T>(*result, *array, kind, mask, {true, back});                                                      \
  }                                                                                                                    \
  extern "C" void _FortranAMinloc##suffix(Descriptor *result, const Descriptor *array, int kind, const char *, int,    \
                                          const Descriptor *mask, bool back) {                                         \
    findSubscripts<T>(*result, *array, kind, mask, {false, back});                                                     \
  }
CUFORT_LOCATIONS_OF(Integer1, signed char)
CUFORT_LOCATIONS_OF(Integer2, short)
CUFORT_LOCATIONS_OF(Integer4, int)
CUFORT_LOCATIONS_OF(Integer8, long)
CUFORT_LOCATIONS_OF(Real4, float)
CUFORT_LOCATIONS_OF(Real8, double)

extern "C" void _FortranAMaxlocDim(Descriptor *result, const Descriptor *array, int kind, int dim, const char *, int,
                                   const Descriptor *mask, bool back) {
  findAlongDimension(*result, *array, kind, dim, mask, {true, back});
}

extern "C" void _FortranAMinlocDim(Descriptor *result, const Descriptor *array, int kind, int dim, const char *, int,
                                   const Descriptor *mask, bool back) {
  findAlongDimension(*result, *array, kind, dim, mask, {false, back});
}

//===-- TRANSFER --------------------------------------------------------------------------------------------------===//

/// The bytes of `source`, and zeros if they are not enough, as one value (`isScalar`) or `count` values of the type of
/// `mold`.
static void transfer(Descriptor &result, const Descriptor &source, const Descriptor &mold, bool isScalar, long count) {
  result.rank = isScalar ? 0 : 1;
  result.dim[0].extent = count;
  allocateResult(result, mold.elementBytes);
  unsigned long sourceBytes = elementCount(source) * source.elementBytes;
  for (unsigned long i = 0; i < count * mold.elementBytes; ++i)
    result.base[i] = i < sourceBytes ? elementAddress(source, i / source.elementBytes)[i % source.elementBytes] : 0;
}

extern "C" void _FortranATransfer(Descriptor *result, const Descriptor *source, const Descriptor *mold, const char *,
                                  int) {
  unsigned long bytes = elementCount(*source) * source->elementBytes;
  bool isScalar = mold->rank == 0;
  transfer(*result, *source, *mold, isScalar, isScalar ? 1 : (bytes + mold->elementBytes - 1) / mold->elementBytes);
}

extern "C" void _FortranATransferSize(Descriptor *result, const Descriptor *source, const Descriptor *mold,
                                      const char *, int, long size) {
  transfer(*result, *source, *mold, /*isScalar=*/false, size);
}

//===-- RESHAPE ---------------------------------------------------------------------------------------------------===//

/// Address in `result` of the element that is number `number` when the subscript `order[0]` runs fastest, and so on.
static char *permutedAddress(const Descriptor &result, const int *order, long number) {
  char *address = result.base;
  for (int i = 0; i < result.rank; ++i) {
    const Dimension &dim = result.dim[order[i]];
    address += number % dim.extent * dim.stride;
    number /= dim.extent;
  }
  return address;
}

/// Flang calls it where there is ORDER.
extern "C" void _FortranAReshape(Descriptor *result, const Descriptor *source, const Descriptor *shape,
                                 const Descriptor *pad, const Descriptor *order, const char *, int) {
  int permutation[15];
  result->rank = static_cast<signed char>(elementCount(*shape));
  for (int i = 0; i < result->rank; ++i) {
    result->dim[i].extent = integerAt(elementAddress(*shape, i), shape->elementBytes);
    permutation[i] = order ? integerAt(elementAddress(*order, i), order->elementBytes) - 1 : i;
  }
  allocateResult(*result, source->elementBytes);
  long sources = elementCount(*source), pads = pad ? elementCount(*pad) : 0;
  for (long i = 0; i < elementCount(*result) && (i < sources || pads); ++i)
    copyElement(permutedAddress(*result, permutation, i),
                i < sources ? elementAddress(*source, i) : elementAddress(*pad, (i - sources) % pads),
                result->elementBytes);
}
