// The functions of arrays that Flang leaves to its runtime: NORM2, TRANSFER, RESHAPE with ORDER, PACK, UNPACK, and
// SPREAD, CSHIFT and EOSHIFT along a dimension that is no constant. Semantics: Fortran 2018 clause 16.9.

#include "codegen/DeviceLibrary/ArrayResults.h"

using namespace cufort::device;

//===-- NORM2 -----------------------------------------------------------------------------------------------------===//

static float root(float x) { return __builtin_sqrtf(x); }
static double root(double x) { return __builtin_sqrt(x); }

/// Sums of squares from this number on, up to the greatest, have lost nothing of importance by overflow or underflow.
template <typename Real>
constexpr Real leastSum = sizeof(Real) == sizeof(float) ? Real(0x1p-90) : Real(0x1p-900);

/// The Euclidean norm, scaled by the largest element so that no square overflows.
template <typename Real>
static Real scaledNorm2(const Descriptor &array) {
  long count = elementCount(array);
  Real largest = 0;
  for (long i = 0; i < count; ++i) {
    Real size = __builtin_fabs(elementAs<Real>(array, i));
    largest = size > largest || size != size ? size : largest;
  }
  if (!(largest > 0) || largest == Real(__builtin_huge_val()))
    return largest;
  Real sum = 0;
  for (long i = 0; i < count; ++i) {
    Real scaled = elementAs<Real>(array, i) / largest;
    sum += scaled * scaled;
  }
  return largest * root(sum);
}

/// The Euclidean norm. Few vectors are so long or so short that they need to be scaled.
template <typename Real>
static Real norm2(const Descriptor &array) {
  Real sum = 0;
  for (long i = 0, count = elementCount(array); i < count; ++i) {
    Real element = elementAs<Real>(array, i);
    sum += element * element;
  }
  bool isExact = sum >= leastSum<Real> && sum < Real(__builtin_huge_val());
  return isExact ? root(sum) : scaledNorm2<Real>(array);
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

//===-- PACK, UNPACK and SPREAD -----------------------------------------------------------------------------------===//

static long countSelected(const Descriptor &array, const Descriptor &mask) {
  long count = 0, elements = elementCount(array);
  for (long i = 0; i < elements; ++i)
    count += isSelected(&mask, i);
  return count;
}

/// The elements of `vector` behind those that are selected stay at their places.
extern "C" void _FortranAPack(Descriptor *result, const Descriptor *array, const Descriptor *mask,
                              const Descriptor *vector, const char *, int) {
  long count = 0, elements = elementCount(*array);
  result->rank = 1;
  result->dim[0].extent = vector ? elementCount(*vector) : countSelected(*array, *mask);
  allocateResult(*result, array->elementBytes);
  for (long i = 0; i < elements; ++i)
    if (isSelected(mask, i))
      copyElement(elementAddress(*result, count++), elementAddress(*array, i), array->elementBytes);
  for (; count < elementCount(*result); ++count)
    copyElement(elementAddress(*result, count), elementAddress(*vector, count), array->elementBytes);
}

extern "C" void _FortranAUnpack(Descriptor *result, const Descriptor *vector, const Descriptor *mask,
                                const Descriptor *field, const char *, int) {
  long next = 0, elements = elementCount(*mask);
  result->rank = mask->rank;
  for (int i = 0; i < mask->rank; ++i)
    result->dim[i].extent = mask->dim[i].extent;
  allocateResult(*result, vector->elementBytes);
  for (long i = 0; i < elements; ++i)
    copyElement(elementAddress(*result, i),
                isSelected(mask, i) ? elementAddress(*vector, next++) : elementAddress(*field, i),
                vector->elementBytes);
}

extern "C" void _FortranASpread(Descriptor *result, const Descriptor *source, int dim, long copies, const char *, int) {
  result->rank = source->rank + 1;
  for (int i = 0; i < result->rank; ++i)
    result->dim[i].extent = i == dim - 1 ? (copies > 0 ? copies : 0) : source->dim[i < dim ? i : i - 1].extent;
  allocateResult(*result, source->elementBytes);
  for (long i = 0; i < copies; ++i) {
    Descriptor copy = *result;
    copy.rank = source->rank;
    copy.base += i * result->dim[dim - 1].stride;
    for (int d = dim - 1; d < copy.rank; ++d)
      copy.dim[d] = result->dim[d + 1];
    for (long j = 0; j < elementCount(*source); ++j)
      copyElement(elementAddress(copy, j), elementAddress(*source, j), source->elementBytes);
  }
}

//===-- CSHIFT and EOSHIFT ----------------------------------------------------------------------------------------===//

static void setShapeOf(Descriptor &result, const Descriptor &source) {
  result.rank = source.rank;
  for (int i = 0; i < source.rank; ++i)
    result.dim[i].extent = source.dim[i].extent;
  allocateResult(result, source.elementBytes);
}

/// SHIFT= for the elements along the dimension that are number `line`; a scalar is for all.
static long shiftOf(const Descriptor &shift, long line) {
  return integerAt(shift.rank ? elementAddress(shift, line) : shift.base, shift.elementBytes);
}

extern "C" void _FortranACshift(Descriptor *result, const Descriptor *source, const Descriptor *shift, int dim,
                                const char *, int) {
  setShapeOf(*result, *source);
  long extent = source->dim[dim - 1].extent, lines = extent ? elementCount(*source) / extent : 0;
  for (long line = 0; line < lines; ++line) {
    Descriptor from = lineOf(*source, dim, line), to = lineOf(*result, dim, line);
    long first = shiftOf(*shift, line) % extent;
    first += first < 0 ? extent : 0;
    for (long i = 0; i < extent; ++i)
      copyElement(elementAddress(to, i), elementAddress(from, (first + i) % extent), source->elementBytes);
  }
}

/// Without BOUNDARY= there are zeros or blanks; of logical values .false. is zero.
static void storeBoundary(char *place, const Descriptor *boundary, long line, const Descriptor &source) {
  if (boundary)
    return copyElement(place, boundary->rank ? elementAddress(*boundary, line) : boundary->base, source.elementBytes);
  for (unsigned long i = 0; i < source.elementBytes; ++i)
    place[i] = source.type == character ? ' ' : 0;
}

extern "C" void _FortranAEoshift(Descriptor *result, const Descriptor *source, const Descriptor *shift,
                                 const Descriptor *boundary, int dim, const char *, int) {
  setShapeOf(*result, *source);
  long extent = source->dim[dim - 1].extent, lines = extent ? elementCount(*source) / extent : 0;
  for (long line = 0; line < lines; ++line) {
    Descriptor from = lineOf(*source, dim, line), to = lineOf(*result, dim, line);
    long first = shiftOf(*shift, line);
    for (long i = 0; i < extent; ++i)
      if (first >= -i && first < extent - i)
        copyElement(elementAddress(to, i), elementAddress(from, first + i), source->elementBytes);
      else
        storeBoundary(elementAddress(to, i), boundary, line, *source);
  }
}

/// The one of a vector, whose shift is a scalar.
extern "C" void _FortranAEoshiftVector(Descriptor *result, const Descriptor *source, long shift,
                                       const Descriptor *boundary, const char *, int) {
  setShapeOf(*result, *source);
  long extent = source->dim[0].extent;
  for (long i = 0; i < extent; ++i)
    if (shift >= -i && shift < extent - i)
      copyElement(elementAddress(*result, i), elementAddress(*source, shift + i), source->elementBytes);
    else
      storeBoundary(elementAddress(*result, i), boundary, /*line=*/0, *source);
}
