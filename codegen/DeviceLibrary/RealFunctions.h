// Functions of real numbers under one name for both kinds.
#pragma once

extern "C" {
float __nv_expf(float);
double __nv_exp(double);
}

namespace cufort::device {

inline float exponential(float x) { return __nv_expf(x); }
inline double exponential(double x) { return __nv_exp(x); }
inline float absolute(float x) { return __builtin_fabsf(x); }
inline double absolute(double x) { return __builtin_fabs(x); }
inline float withSign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double withSign(double x, double sign) { return __builtin_copysign(x, sign); }

} // namespace cufort::device
