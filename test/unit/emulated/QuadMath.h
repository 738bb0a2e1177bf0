// Functions of 113 bits: what the tests use of libquadmath, whose header only GCC finds.
#pragma once

namespace cufort::rt::emulated {

__extension__ typedef __float128 Quad;

extern "C" {
Quad acoshq(Quad);
Quad acosq(Quad);
Quad asinhq(Quad);
Quad asinq(Quad);
Quad atanhq(Quad);
Quad atanq(Quad);
Quad cbrtq(Quad);
Quad ceilq(Quad);
Quad coshq(Quad);
Quad cosq(Quad);
Quad erfcq(Quad);
Quad erfq(Quad);
Quad expm1q(Quad);
Quad expq(Quad);
Quad fabsq(Quad);
Quad floorq(Quad);
Quad j0q(Quad);
Quad j1q(Quad);
Quad lgammaq(Quad);
Quad log10q(Quad);
Quad log1pq(Quad);
Quad log2q(Quad);
Quad logq(Quad);
Quad rintq(Quad);
Quad roundq(Quad);
Quad sinhq(Quad);
Quad sinq(Quad);
Quad sqrtq(Quad);
Quad tanhq(Quad);
Quad tanq(Quad);
Quad tgammaq(Quad);
Quad truncq(Quad);
Quad y0q(Quad);
Quad y1q(Quad);
Quad atan2q(Quad, Quad);
Quad copysignq(Quad, Quad);
Quad fdimq(Quad, Quad);
Quad fmodq(Quad, Quad);
Quad hypotq(Quad, Quad);
Quad powq(Quad, Quad);
Quad remainderq(Quad, Quad);
Quad jnq(int, Quad);
Quad ynq(int, Quad);
Quad ldexpq(Quad, int);
Quad frexpq(Quad, int *);
int isnanq(Quad);
int signbitq(Quad);
}

} // namespace cufort::rt::emulated
