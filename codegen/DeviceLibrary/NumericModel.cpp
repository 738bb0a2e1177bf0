// Intrinsics that ask for the parts of a real number: Fortran 2018 16.9.75 EXPONENT, 16.9.81 FRACTION, 16.9.166
// RRSPACING, 16.9.167 SCALE, 16.9.171 SET_EXPONENT, 16.9.180 SPACING. Special values are those of Flang's runtime.

extern "C" float __nv_frexpf(float, int *);
extern "C" double __nv_frexp(double, int *);
extern "C" float __nv_ldexpf(float, int);
extern "C" double __nv_ldexp(double, int);

namespace {

float split(float x, int *exponent) { return __nv_frexpf(x, exponent); }
double split(double x, int *exponent) { return __nv_frexp(x, exponent); }
float scaled(float x, int power) { return __nv_ldexpf(x, power); }
double scaled(double x, int power) { return __nv_ldexp(x, power); }

template <typename Real>
struct Model;
template <>
struct Model<float> {
  static constexpr int digits = 24, minExponent = -125;
};
template <>
struct Model<double> {
  static constexpr int digits = 53, minExponent = -1021;
};
/// That of real(2), whose numbers come as real(4).
struct HalfModel {
  static constexpr int digits = 11, minExponent = -13;
};

template <typename Real>
bool isFinite(Real x) {
  return x - x == 0;
}

template <typename Real>
Real invalid(Real x) {
  return x - x; // of an infinity or a NaN
}

template <typename Real>
Real scale(Real x, long power) {
  constexpr long limit = 5000; // beyond it everything is zero or infinite
  return scaled(x, power > limit ? limit : power < -limit ? -limit : power);
}

template <typename Int, typename Real>
Int exponent(Real x) {
  if (!isFinite(x))
    return static_cast<Int>(~0ul >> (65 - 8 * sizeof(Int)));
  int result = 0;
  if (x != 0)
    split(x, &result);
  return result;
}

template <typename Real>
Real fraction(Real x) {
  int ignored;
  return !isFinite(x) ? invalid(x) : x == 0 ? x : split(x, &ignored);
}

template <typename Real, typename Kind = Model<Real>>
Real spacing(Real x) {
  if (!isFinite(x))
    return invalid(x);
  int power = x == 0 ? Kind::minExponent : exponent<int>(x);
  int least = Kind::minExponent - 1;
  return scaled(Real(1), power - Kind::digits < least ? least : power - Kind::digits);
}

template <typename Real>
Real reciprocalSpacing(Real x) {
  return __builtin_elementwise_abs(scale(fraction(x), Model<Real>::digits));
}

} // namespace

extern "C" float _FortranAScale4(float x, long power) { return scale(x, power); }
extern "C" double _FortranAScale8(double x, long power) { return scale(x, power); }
extern "C" int _FortranAExponent4_4(float x) { return exponent<int>(x); }
extern "C" long _FortranAExponent4_8(float x) { return exponent<long>(x); }
extern "C" int _FortranAExponent8_4(double x) { return exponent<int>(x); }
extern "C" long _FortranAExponent8_8(double x) { return exponent<long>(x); }
extern "C" float _FortranAFraction4(float x) { return fraction(x); }
extern "C" double _FortranAFraction8(double x) { return fraction(x); }
extern "C" float _FortranASetExponent4(float x, long power) { return scale(fraction(x), power); }
extern "C" double _FortranASetExponent8(double x, long power) { return scale(fraction(x), power); }
extern "C" float _FortranASpacing2By4(float x) { return spacing<float, HalfModel>(x); }
extern "C" float _FortranASpacing4(float x) { return spacing(x); }
extern "C" double _FortranASpacing8(double x) { return spacing(x); }
extern "C" float _FortranARRSpacing4(float x) { return reciprocalSpacing(x); }
extern "C" double _FortranARRSpacing8(double x) { return reciprocalSpacing(x); }
