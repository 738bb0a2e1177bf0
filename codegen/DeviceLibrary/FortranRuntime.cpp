// Routines of the Fortran runtime that Flang calls from device code, for both devices. Semantics: Fortran 2018
// clause 16.9 for the intrinsic named.

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

//===-- Integer powers of complex values ----------------------------------------------------------------------------===//

template <typename Real>
struct ComplexValue {
  Real re, im;
};

/// *value = *value ** exponent by repeated squaring; a negative exponent inverts the result.
template <typename Real>
static void complexPower(ComplexValue<Real> *value, int exponent) {
  auto multiply = [](ComplexValue<Real> a, ComplexValue<Real> b) {
    return ComplexValue<Real>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  };
  unsigned remaining = exponent < 0 ? 0u - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
  ComplexValue<Real> result{1, 0}, square = *value;
  for (; remaining; remaining >>= 1) {
    if (remaining & 1)
      result = multiply(result, square);
    square = multiply(square, square);
  }
  if (exponent < 0) {
    Real size = result.re * result.re + result.im * result.im;
    result = {result.re / size, -result.im / size};
  }
  *value = result;
}

extern "C" void __cufx_powi_c4(ComplexValue<float> *value, int exponent) { complexPower(value, exponent); }
extern "C" void __cufx_powi_c8(ComplexValue<double> *value, int exponent) { complexPower(value, exponent); }

//===-- Array assignment --------------------------------------------------------------------------------------------===//

extern "C" void *malloc(unsigned long);
extern "C" void free(void *);

namespace {

/// The part of Flang's array descriptor that does not depend on the rank, and one dimension of it. Strides in bytes.
struct Dimension {
  long lower, extent, stride;
};
struct Descriptor {
  char *base;
  unsigned long elementBytes;
  int version;
  signed char rank, type, attribute, extra;
  Dimension dim[15];
};

long elementCount(const Descriptor &array) {
  long count = 1;
  for (int i = 0; i < array.rank; ++i)
    count *= array.dim[i].extent;
  return count;
}

/// Address of element `number` in array element order; a scalar is every element.
char *elementAddress(const Descriptor &array, long number) {
  char *address = array.base;
  for (int i = 0; i < array.rank; ++i) {
    address += number % array.dim[i].extent * array.dim[i].stride;
    number /= array.dim[i].extent;
  }
  return address;
}

void copyElement(char *to, const char *from, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; ++i)
    to[i] = from[i];
}

} // namespace

/// Assignment of arrays that may overlap: the right side is copied first (Fortran 2018 10.2.1.3). Flang leaves it to
/// the runtime where it cannot prove that they do not; types and shapes agree by then.
extern "C" void _FortranAAssign(Descriptor *to, const Descriptor *from, const char *, int) {
  long count = elementCount(*to);
  unsigned long bytes = to->elementBytes;
  auto *copy = static_cast<char *>(malloc(count * bytes));
  if (!copy)
    __builtin_trap();
  for (long i = 0; i < count; ++i)
    copyElement(copy + i * bytes, elementAddress(*from, i), bytes);
  for (long i = 0; i < count; ++i)
    copyElement(elementAddress(*to, i), copy + i * bytes, bytes);
  free(copy);
}

//===-- NORM2 -------------------------------------------------------------------------------------------------------===//

/// The Euclidean norm, scaled by the largest element so that no square overflows.
template <typename Real>
static Real norm2(const Descriptor &array) {
  long count = elementCount(array);
  Real largest = 0;
  for (long i = 0; i < count; ++i) {
    Real size = __builtin_fabs(*reinterpret_cast<const Real *>(elementAddress(array, i)));
    largest = size > largest ? size : largest;
  }
  if (largest == 0)
    return 0;
  Real sum = 0;
  for (long i = 0; i < count; ++i) {
    Real scaled = *reinterpret_cast<const Real *>(elementAddress(array, i)) / largest;
    sum += scaled * scaled;
  }
  return largest * static_cast<Real>(__builtin_sqrt(sum));
}

extern "C" float _FortranANorm2_4(const Descriptor *array, const char *, int, int) { return norm2<float>(*array); }
extern "C" double _FortranANorm2_8(const Descriptor *array, const char *, int, int) { return norm2<double>(*array); }
