#include "runtime/ABI/RuntimeABI.h"
#include <cfenv>
#include <xmmintrin.h>

void cufortEnableTraps(int32_t traps) {
  static constexpr struct {
    int32_t trap;
    int exception;
  } exceptions[] = {{CufortTrapInvalid, FE_INVALID},
                    {CufortTrapDivideByZero, FE_DIVBYZERO},
                    {CufortTrapOverflow, FE_OVERFLOW},
                    {CufortTrapUnderflow, FE_UNDERFLOW},
                    {CufortTrapInexact, FE_INEXACT}};
  int enabled = 0;
  for (const auto &entry : exceptions)
    if (traps & entry.trap)
      enabled |= entry.exception;
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(enabled);
  // The standard library knows no exception for denormal operands.
  if (traps & CufortTrapDenormal)
    _mm_setcsr(_mm_getcsr() & ~unsigned(_MM_MASK_DENORM));
}
