// MAXLOC and MINLOC with BACK, and FINDLOC, which Flang leaves to its runtime. Semantics: Fortran 2018 clause 16.9.

#include "codegen/DeviceLibrary/Strings.h"

using namespace cufort::device;

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

static long findString(const Descriptor &array, const Descriptor *mask, Search search) {
  long found = -1;
  for (long i = 0; i < elementCount(array); ++i) {
    if (!isSelected(mask, i))
      continue;
    int order = found < 0 ? 0
                          : compareStrings(elementAddress(array, i), array.elementBytes, elementAddress(array, found),
                                           array.elementBytes);
    if (found < 0 || (order ? (order > 0) == search.isMax : search.isBack))
      found = i;
  }
  return found;
}

static long findElementOfAnyType(const Descriptor &array, const Descriptor *mask, Search search) {
  if (array.type == character)
    return findString(array, mask, search);
  if (array.type == real2)
    return findElement<_Float16>(array, mask, search);
  if (array.type == real4)
    return findElement<float>(array, mask, search);
  if (array.type == real8)
    return findElement<double>(array, mask, search);
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
static void storeSubscripts(Descriptor &result, const Descriptor &array, int kind, long found) {
  result.rank = 1;
  result.dim[0].extent = array.rank;
  allocateResult(result, kind);
  for (int i = 0; i < array.rank; ++i) {
    long extent = array.dim[i].extent;
    storeInteger(result.base + i * kind, kind, found < 0 ? 0 : found % extent + 1);
    found = found < 0 ? found : found / extent;
  }
}

/// With DIM the result has the subscripts along that dimension. `find` gets a line of the array and of the mask.
template <typename Find>
static void findAlongDimension(Descriptor &result, const Descriptor &array, int kind, int dim, const Descriptor *mask,
                               Find find) {
  setReducedShape(result, array, dim);
  allocateResult(result, kind);
  for (long i = 0; i < elementCount(result); ++i) {
    Descriptor maskLine = mask ? lineOfMask(*mask, dim, i) : Descriptor();
    storeInteger(result.base + i * kind, kind, find(lineOf(array, dim, i), mask ? &maskLine : nullptr) + 1);
  }
}

static void findExtremesAlong(Descriptor &result, const Descriptor &array, int kind, int dim, const Descriptor *mask,
                              Search search) {
  findAlongDimension(result, array, kind, dim, mask, [&](const Descriptor &line, const Descriptor *maskLine) {
    return findElementOfAnyType(line, maskLine, search);
  });
}

#define CUFORT_LOCATIONS_OF(suffix, T)                                                                                 \
  extern "C" void _FortranAMaxloc##suffix(Descriptor *result, const Descriptor *array, int kind, const char *, int,    \
                                          const Descriptor *mask, bool back) {                                         \
    storeSubscripts(*result, *array, kind, findElement<T>(*array, mask, {true, back}));                                \
  }                                                                                                                    \
  extern "C" void _FortranAMinloc##suffix(Descriptor *result, const Descriptor *array, int kind, const char *, int,    \
                                          const Descriptor *mask, bool back) {                                         \
    storeSubscripts(*result, *array, kind, findElement<T>(*array, mask, {false, back}));                               \
  }
CUFORT_LOCATIONS_OF(Integer1, signed char)
CUFORT_LOCATIONS_OF(Integer2, short)
CUFORT_LOCATIONS_OF(Integer4, int)
CUFORT_LOCATIONS_OF(Integer8, long)
CUFORT_LOCATIONS_OF(Real4, float)
CUFORT_LOCATIONS_OF(Real8, double)

extern "C" void _FortranAMaxlocCharacter(Descriptor *result, const Descriptor *array, int kind, const char *, int,
                                         const Descriptor *mask, bool back) {
  storeSubscripts(*result, *array, kind, findString(*array, mask, {true, back}));
}

extern "C" void _FortranAMinlocCharacter(Descriptor *result, const Descriptor *array, int kind, const char *, int,
                                         const Descriptor *mask, bool back) {
  storeSubscripts(*result, *array, kind, findString(*array, mask, {false, back}));
}

extern "C" void _FortranAMaxlocDim(Descriptor *result, const Descriptor *array, int kind, int dim, const char *, int,
                                   const Descriptor *mask, bool back) {
  findExtremesAlong(*result, *array, kind, dim, mask, {true, back});
}

extern "C" void _FortranAMinlocDim(Descriptor *result, const Descriptor *array, int kind, int dim, const char *, int,
                                   const Descriptor *mask, bool back) {
  findExtremesAlong(*result, *array, kind, dim, mask, {false, back});
}

//===-- FINDLOC ---------------------------------------------------------------------------------------------------===//

static bool isReal(const Descriptor &array) {
  return array.type == real2 || array.type == real4 || array.type == real8;
}
static bool isComplex(const Descriptor &array) { return array.type == complex4 || array.type == complex8; }

/// The real part (0) or the imaginary part (1) of a number of any type.
static double partOf(const Descriptor &array, const char *address, int part) {
  if (array.type == real4 || array.type == complex4)
    return part && array.type == real4 ? 0 : reinterpret_cast<const float *>(address)[part];
  if (array.type == real8 || array.type == complex8)
    return part && array.type == real8 ? 0 : reinterpret_cast<const double *>(address)[part];
  if (part)
    return 0;
  return array.type == real2 ? double(*reinterpret_cast<const _Float16 *>(address))
                             : integerAt(address, array.elementBytes);
}

/// An integer beside a real(4) is compared in single precision.
static bool isSinglePrecision(const Descriptor &a, const Descriptor &b) {
  return a.type != real8 && a.type != complex8 && b.type != real8 && b.type != complex8;
}

static bool areEqualNumbers(const Descriptor &array, const char *element, const Descriptor &target) {
  if (!isReal(array) && !isComplex(array) && !isReal(target) && !isComplex(target))
    return integerAt(element, array.elementBytes) == integerAt(target.base, target.elementBytes);
  for (int part = 0; part < 2; ++part) {
    double own = partOf(array, element, part), other = partOf(target, target.base, part);
    if (isSinglePrecision(array, target) ? float(own) != float(other) : own != other)
      return false;
  }
  return true;
}

/// The shorter string counts as filled up with blanks.
static bool areEqualStrings(const Descriptor &array, const char *element, const Descriptor &target) {
  for (unsigned long i = 0; i < array.elementBytes || i < target.elementBytes; ++i)
    if ((i < array.elementBytes ? element[i] : ' ') != (i < target.elementBytes ? target.base[i] : ' '))
      return false;
  return true;
}

static bool areEqual(const Descriptor &array, const char *element, const Descriptor &target) {
  if (array.type == character)
    return areEqualStrings(array, element, target);
  if (array.type == logical1 || target.type == logical1)
    return !integerAt(element, array.elementBytes) == !integerAt(target.base, target.elementBytes);
  return areEqualNumbers(array, element, target);
}

/// The number of the element that equals `target`, as above.
static long findEqual(const Descriptor &array, const Descriptor &target, const Descriptor *mask, bool isBack) {
  long count = elementCount(array);
  for (long i = 0; i < count; ++i) {
    long number = isBack ? count - 1 - i : i;
    if (isSelected(mask, number) && areEqual(array, elementAddress(array, number), target))
      return number;
  }
  return -1;
}

extern "C" void _FortranAFindloc(Descriptor *result, const Descriptor *array, const Descriptor *target, int kind,
                                 const char *, int, const Descriptor *mask, bool back) {
  storeSubscripts(*result, *array, kind, findEqual(*array, *target, mask, back));
}

extern "C" void _FortranAFindlocDim(Descriptor *result, const Descriptor *array, const Descriptor *target, int kind,
                                    int dim, const char *, int, const Descriptor *mask, bool back) {
  findAlongDimension(*result, *array, kind, dim, mask, [&](const Descriptor &line, const Descriptor *maskLine) {
    return findEqual(line, *target, maskLine, back);
  });
}
