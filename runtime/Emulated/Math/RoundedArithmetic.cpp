// Arithmetic in a given rounding direction: _rn to nearest, _rz towards zero, _rd down, _ru up.
//
// The instruction stands between two loads of the control register in one piece of assembly, so that no compiler can
// move it out. fma has no instruction on every x86-64 processor; the C library's function obeys fesetround.
#include "runtime/Emulated/Math/DeviceMath.h"
#include <cfenv>
#include <cmath>
#include <xmmintrin.h>

namespace {

// The rounding field of mxcsr.
constexpr unsigned roundingMask = 0x6000, nearest = 0x0000, down = 0x2000, up = 0x4000, towardsZero = 0x6000;

struct Controls {
  unsigned saved, wanted;
  explicit Controls(unsigned rounding) : saved(_mm_getcsr()), wanted((saved & ~roundingMask) | rounding) {}
};

#define CUFORT_ROUNDED_OPERATION(name, type, instruction)                                                              \
  template <unsigned Rounding>                                                                                         \
  type name(type a, type b) {                                                                                          \
    Controls controls(Rounding);                                                                                       \
    asm volatile("ldmxcsr %[wanted]\n\t" instruction " %[b], %[a]\n\tldmxcsr %[saved]"                                 \
                 : [a] "+x"(a)                                                                                         \
                 : [b] "x"(b), [wanted] "m"(controls.wanted), [saved] "m"(controls.saved));                            \
    return a;                                                                                                          \
  }

CUFORT_ROUNDED_OPERATION(addFloat, float, "addss")
CUFORT_ROUNDED_OPERATION(subtractFloat, float, "subss")
CUFORT_ROUNDED_OPERATION(multiplyFloat, float, "mulss")
CUFORT_ROUNDED_OPERATION(divideFloat, float, "divss")
CUFORT_ROUNDED_OPERATION(addDouble, double, "addsd")
CUFORT_ROUNDED_OPERATION(subtractDouble, double, "subsd")
CUFORT_ROUNDED_OPERATION(multiplyDouble, double, "mulsd")
CUFORT_ROUNDED_OPERATION(divideDouble, double, "divsd")

// The first operand is where the result goes, and is not read.
CUFORT_ROUNDED_OPERATION(sqrtFloatInto, float, "sqrtss")
CUFORT_ROUNDED_OPERATION(sqrtDoubleInto, double, "sqrtsd")

template <unsigned Rounding>
float narrow(double value) {
  Controls controls(Rounding);
  float result;
  asm volatile("ldmxcsr %[wanted]\n\tcvtsd2ss %[value], %[result]\n\tldmxcsr %[saved]"
               : [result] "=x"(result)
               : [value] "x"(value), [wanted] "m"(controls.wanted), [saved] "m"(controls.saved));
  return result;
}

template <int Direction>
float fusedFloat(float a, float b, float c) {
  int saved = fegetround();
  fesetround(Direction);
  asm volatile("" : "+x"(a), "+x"(b), "+x"(c));
  float result = fmaf(a, b, c);
  asm volatile("" : "+x"(result));
  fesetround(saved);
  return result;
}

template <int Direction>
double fusedDouble(double a, double b, double c) {
  int saved = fegetround();
  fesetround(Direction);
  asm volatile("" : "+x"(a), "+x"(b), "+x"(c));
  double result = fma(a, b, c);
  asm volatile("" : "+x"(result));
  fesetround(saved);
  return result;
}

} // namespace

// All four directions of one function of two, or one, operands.
#define CUFORT_FOUR_BINARY(name, type, operation)                                                                      \
  type __nv_##name##_rn(type a, type b) { return operation<nearest>(a, b); }                                           \
  type __nv_##name##_rz(type a, type b) { return operation<towardsZero>(a, b); }                                       \
  type __nv_##name##_rd(type a, type b) { return operation<down>(a, b); }                                              \
  type __nv_##name##_ru(type a, type b) { return operation<up>(a, b); }
#define CUFORT_FOUR_UNARY(name, type, operation, first)                                                                \
  type __nv_##name##_rn(type a) { return operation<nearest>(first, a); }                                               \
  type __nv_##name##_rz(type a) { return operation<towardsZero>(first, a); }                                           \
  type __nv_##name##_rd(type a) { return operation<down>(first, a); }                                                  \
  type __nv_##name##_ru(type a) { return operation<up>(first, a); }
#define CUFORT_FOUR_FUSED(name, type, operation)                                                                       \
  type __nv_##name##_rn(type a, type b, type c) { return operation<FE_TONEAREST>(a, b, c); }                           \
  type __nv_##name##_rz(type a, type b, type c) { return operation<FE_TOWARDZERO>(a, b, c); }                          \
  type __nv_##name##_rd(type a, type b, type c) { return operation<FE_DOWNWARD>(a, b, c); }                            \
  type __nv_##name##_ru(type a, type b, type c) { return operation<FE_UPWARD>(a, b, c); }

extern "C" {

CUFORT_FOUR_BINARY(fadd, float, addFloat)
CUFORT_FOUR_BINARY(fsub, float, subtractFloat)
CUFORT_FOUR_BINARY(fmul, float, multiplyFloat)
CUFORT_FOUR_BINARY(fdiv, float, divideFloat)
CUFORT_FOUR_BINARY(dadd, double, addDouble)
CUFORT_FOUR_BINARY(dsub, double, subtractDouble)
CUFORT_FOUR_BINARY(dmul, double, multiplyDouble)
CUFORT_FOUR_BINARY(ddiv, double, divideDouble)
CUFORT_FOUR_UNARY(frcp, float, divideFloat, 1.0f)
CUFORT_FOUR_UNARY(drcp, double, divideDouble, 1.0)
CUFORT_FOUR_UNARY(fsqrt, float, sqrtFloatInto, 0.0f)
CUFORT_FOUR_UNARY(dsqrt, double, sqrtDoubleInto, 0.0)
CUFORT_FOUR_FUSED(fmaf, float, fusedFloat)
CUFORT_FOUR_FUSED(fmaf_ieee, float, fusedFloat)
CUFORT_FOUR_FUSED(fma, double, fusedDouble)

float __nv_double2float_rn(double x) { return narrow<nearest>(x); }
float __nv_double2float_rz(double x) { return narrow<towardsZero>(x); }
float __nv_double2float_rd(double x) { return narrow<down>(x); }
float __nv_double2float_ru(double x) { return narrow<up>(x); }

// The result of 1 / sqrt(x) has more than the 24 bits of a float in extended precision, and cannot lie on the middle
// between two floats, so rounding twice is rounding once.
float __nv_frsqrt_rn(float x) { return float(1.0L / sqrtl(x)); }

} // extern "C"
