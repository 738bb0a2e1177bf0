// Routines of the Fortran runtime that Flang calls from device code, for both devices. Semantics: Fortran 2018
// clause 16.9 for the intrinsic named.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

extern "C" float __nv_fmodf(float, float);
extern "C" double __nv_fmod(double, double);

/// MODULO: a - floor(a / p) * p, with the sign of p.
template <typename Real>
static Real modulo(Real remainder, Real p) {
  if (remainder == 0)
    return __builtin_copysign(remainder, p);
  return (remainder < 0) != (p < 0) ? remainder + p : remainder;
}

extern "C" float _FortranAModuloReal4(float a, float p, const char *, int) { return modulo(__nv_fmodf(a, p), p); }
extern "C" double _FortranAModuloReal8(double a, double p, const char *, int) { return modulo(__nv_fmod(a, p), p); }
extern "C" float _FortranAModReal4(float a, float p, const char *, int) { return __nv_fmodf(a, p); }
extern "C" double _FortranAModReal8(double a, double p, const char *, int) { return __nv_fmod(a, p); }

//===-- Rounding --------------------------------------------------------------------------------------------------===//

/// To an integer in one of the modes of llvm.get.rounding.
template <typename Real>
static Real roundedTo(Real x, int mode) {
  switch (mode) {
  case 0:
    return __builtin_elementwise_trunc(x);
  case 2:
    return __builtin_elementwise_ceil(x);
  case 3:
    return __builtin_elementwise_floor(x);
  default:
    return __builtin_elementwise_roundeven(x);
  }
}

extern "C" float cufortRint4(float x, int mode) { return roundedTo(x, mode); }
extern "C" double cufortRint8(double x, int mode) { return roundedTo(x, mode); }

//===-- Array assignment ------------------------------------------------------------------------------------------===//

/// True if `to` has to be allocated before it can have the value of `from`, which does so for allocatables only.
static bool mustReallocate(const Descriptor &to, const Descriptor &from) {
  constexpr signed char allocatable = 2;
  if (to.attribute != allocatable)
    return false;
  bool differs = !to.base || to.elementBytes != from.elementBytes;
  for (int i = 0; i < from.rank; ++i)
    differs |= to.dim[i].extent != from.dim[i].extent;
  return differs;
}

/// Gives `to` the bounds of `from` and `memory` for its elements.
static void reallocate(Descriptor &to, const Descriptor &from, char *memory) {
  free(to.base);
  to.base = memory;
  to.elementBytes = from.elementBytes;
  for (int i = 0; i < from.rank; ++i)
    to.dim[i] = from.dim[i];
  makeContiguous(to);
}

/// Strings of different length are cut off or get blanks behind them.
static void assignElement(char *to, unsigned long toBytes, const char *from, unsigned long fromBytes) {
  copyElement(to, from, fromBytes < toBytes ? fromBytes : toBytes);
  for (unsigned long i = fromBytes; i < toBytes; ++i)
    to[i] = ' ';
}

struct Span {
  const char *begin, *end;
};

static Span spanOf(const Descriptor &array) {
  Span span{array.base, array.base + array.elementBytes};
  for (int i = 0; i < array.rank; ++i) {
    long length = (array.dim[i].extent - 1) * array.dim[i].stride;
    (length < 0 ? span.begin : span.end) += length;
  }
  return span;
}

/// True if each element of `to` is stored behind where the rest of `from` is read, as in a(1:n-1) = a(2:n).
static bool isCopiedForward(const Descriptor &to, const Descriptor &from) {
  if (to.base > from.base || to.elementBytes != from.elementBytes)
    return false;
  for (int i = 0; i < to.rank; ++i)
    if (to.dim[i].stride != from.dim[i].stride || to.dim[i].stride < 0)
      return false;
  // With one dimension addresses grow with the number of the element.
  return to.rank <= 1 || to.base == from.base;
}

/// True if storing one element after the other changes none that is still to be read.
static bool needsNoCopy(const Descriptor &to, const Descriptor &from) {
  Span left = spanOf(to), right = spanOf(from);
  return left.end <= right.begin || right.end <= left.begin || from.rank == 0 || isCopiedForward(to, from);
}

static void assignElements(Descriptor &to, const Descriptor &from, long count) {
  for (long i = 0; i < count; ++i)
    assignElement(elementAddress(to, i), to.elementBytes, elementAddress(from, i), from.elementBytes);
}

/// The elements of `array` one behind the other, in memory that the caller frees.
static char *copyOf(const Descriptor &array, long count) {
  unsigned long bytes = array.elementBytes;
  auto *copy = static_cast<char *>(malloc(count ? count * bytes : 1));
  if (!copy)
    __builtin_trap();
  for (long i = 0; i < count; ++i)
    copyElement(copy + i * bytes, elementAddress(array, i), bytes);
  return copy;
}

/// Assignment of arrays that may overlap: then the right side is copied first (Fortran 2018 10.2.1.3). Flang leaves it
/// to the runtime where it cannot prove that they do not, and where an allocatable may have to take another shape.
extern "C" void _FortranAAssign(Descriptor *to, const Descriptor *from, const char *, int) {
  if (mustReallocate(*to, *from))
    return reallocate(*to, *from, copyOf(*from, elementCount(*from)));
  long count = elementCount(*to);
  if (count == 0 || needsNoCopy(*to, *from))
    return assignElements(*to, *from, count);
  Descriptor copy = *from;
  copy.base = copyOf(*from, count);
  makeContiguous(copy);
  assignElements(*to, copy, count);
  free(copy.base);
}

/// The same for a variable that nobody else has seen yet.
extern "C" void _FortranAAssignTemporary(Descriptor *to, const Descriptor *from, const char *file, int line) {
  _FortranAAssign(to, from, file, line);
}

/// The same for an allocatable whose strings have a length that does not depend on what is assigned.
extern "C" void _FortranAAssignExplicitLengthCharacter(Descriptor *to, const Descriptor *from, const char *file,
                                                       int line) {
  Descriptor shape = *from;
  shape.elementBytes = to->elementBytes;
  if (!mustReallocate(*to, shape))
    return _FortranAAssign(to, from, file, line);
  // The right side may be part of what is freed.
  long count = elementCount(*from);
  shape.base = static_cast<char *>(malloc(count * shape.elementBytes ? count * shape.elementBytes : 1));
  if (!shape.base)
    __builtin_trap();
  makeContiguous(shape);
  assignElements(shape, *from, count);
  reallocate(*to, shape, shape.base);
}

/// True if the elements of `array` are next to each other, in array element order.
extern "C" bool _FortranAIsContiguous(const Descriptor *array) {
  unsigned long bytes = array->elementBytes;
  for (int i = 0; i < array->rank; ++i) {
    if (array->dim[i].extent == 0)
      return true;
    if (array->dim[i].extent != 1 && array->dim[i].stride != static_cast<long>(bytes))
      return false;
    bytes *= array->dim[i].extent;
  }
  return true;
}

/// Makes `temporary` a contiguous copy of `array` for a dummy argument that wants one.
extern "C" void _FortranACopyInAssign(Descriptor *temporary, const Descriptor *array, const char *, int) {
  constexpr signed char allocatable = 2;
  long count = elementCount(*array);
  unsigned long bytes = array->elementBytes, stride = bytes;
  temporary->elementBytes = bytes;
  temporary->version = array->version;
  temporary->rank = array->rank;
  temporary->type = array->type;
  temporary->attribute = allocatable;
  for (int i = 0; i < array->rank; ++i) {
    temporary->dim[i] = {array->dim[i].lower, array->dim[i].extent, static_cast<long>(stride)};
    stride *= array->dim[i].extent;
  }
  temporary->base = static_cast<char *>(malloc(count ? count * bytes : 1));
  if (!temporary->base)
    __builtin_trap();
  for (long i = 0; i < count; ++i)
    copyElement(temporary->base + i * bytes, elementAddress(*array, i), bytes);
}

/// Copies what the dummy argument left in `temporary` back to `array`, unless that is null, and frees it.
extern "C" void _FortranACopyOutAssign(Descriptor *array, Descriptor *temporary, const char *, int) {
  long count = array ? elementCount(*array) : 0;
  for (long i = 0; i < count; ++i)
    copyElement(elementAddress(*array, i), elementAddress(*temporary, i), temporary->elementBytes);
  free(temporary->base);
  temporary->base = nullptr;
}
