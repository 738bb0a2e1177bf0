// Reciprocals of numbers that are neither very large nor very small, as the squares of divisors are that have been
// scaled. Zero, infinities and what is not a number may give what is not a number. GPUs need no branch for such
// numbers; what the compiler makes of a division has one.

#include "codegen/DeviceLibrary/Entry.h"

#ifdef __NVPTX__

CUFX_ENTRY float __cufx_scaled_reciprocal_r4(float x) {
  float near = __nvvm_rcp_approx_ftz_f(x);
  return __builtin_fmaf(near, __builtin_fmaf(-x, near, 1.0f), near);
}

CUFX_ENTRY double __cufx_scaled_reciprocal_r8(double x) {
  double near = __nvvm_rcp_approx_ftz_d(x);
  double error = __builtin_fma(-x, near, 1.0);
  near = __builtin_fma(near, __builtin_fma(error, error, error), near);
  return __builtin_fma(near, __builtin_fma(-x, near, 1.0), near);
}

#else

CUFX_ENTRY float __cufx_scaled_reciprocal_r4(float x) { return 1 / x; }
CUFX_ENTRY double __cufx_scaled_reciprocal_r8(double x) { return 1 / x; }

#endif
