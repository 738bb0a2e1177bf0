// Special functions in extended precision (64 bits), to be rounded to real(4) or real(8).
#pragma once

namespace cufort::rt::emulated {

/// Returns exp(x * x) * erfc(x).
long double scaledComplementaryError(double x);
/// Returns y with erf(y) = x; infinite for -1 and 1, NaN beyond.
long double inverseError(long double x);
/// Returns y with erfc(y) = x, for 0 <= x <= 2.
long double inverseComplementaryError(long double x);
/// Returns the modified Bessel function of the first kind of order 0 or 1.
long double modifiedBessel(int order, double x);

} // namespace cufort::rt::emulated
