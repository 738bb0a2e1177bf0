// Square roots of numbers that are neither very large nor very small, as those are that have been scaled. GPUs need no
// branch for such numbers; what the compiler makes of a square root has one, and of a division another.
#pragma once

namespace cufort::device {

/// The square root of a number, and what one divided by it is.
template <typename Real>
struct Roots {
  Real root, inverse;
};

#ifdef __NVPTX__

/// Clang has no name for the instruction.
extern "C" double nearInverseRoot(double x) __asm__("llvm.nvvm.rsqrt.approx.ftz.d");

/// Both are off by less than a unit in the last place.
inline Roots<float> scaledRoots(float x) {
  float near = __nvvm_rsqrt_approx_ftz_f(x), half = 0.5f * near, root = x * near;
  float error = __builtin_fmaf(-root, root, x);
  return {__builtin_fmaf(error, half, root), __builtin_fmaf(half, __builtin_fmaf(-root, near, 1.0f), near)};
}

inline Roots<double> scaledRoots(double x) {
  double near = nearInverseRoot(x);
  double error = __builtin_fma(-x, near * near, 1.0);
  near = __builtin_fma(__builtin_fma(error, 0.375, 0.5), near * error, near);
  double root = x * near;
  return {__builtin_fma(__builtin_fma(-root, root, x), 0.5 * near, root), near};
}

#else

inline Roots<float> scaledRoots(float x) {
  float root = __builtin_sqrtf(x);
  return {root, 1 / root};
}

inline Roots<double> scaledRoots(double x) {
  double root = __builtin_sqrt(x);
  return {root, 1 / root};
}

#endif

} // namespace cufort::device
