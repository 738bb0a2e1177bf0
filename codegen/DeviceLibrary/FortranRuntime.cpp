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
