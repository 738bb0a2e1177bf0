// Integer functions of libdevice. Arithmetic wraps around.
#include "runtime/Emulated/Math/DeviceMath.h"
#include <cstring>

namespace {

template <typename To, typename From>
To bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "only reinterprets");
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}

/// The low 24 bits of `value`, as a signed number.
int32_t low24(int32_t value) { return int32_t(uint32_t(value) << 8) >> 8; }

uint32_t distance(int64_t a, int64_t b) { return uint32_t(a > b ? a - b : b - a); }

uint64_t reversed(uint64_t value) {
  value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
  value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
  value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64(value);
}

} // namespace

extern "C" {

int32_t __nv_clz(int32_t x) { return x ? __builtin_clz(uint32_t(x)) : 32; }
int32_t __nv_clzll(int64_t x) { return x ? __builtin_clzll(uint64_t(x)) : 64; }
int32_t __nv_popc(int32_t x) { return __builtin_popcount(uint32_t(x)); }
int32_t __nv_popcll(int64_t x) { return __builtin_popcountll(uint64_t(x)); }
int32_t __nv_ffs(int32_t x) { return __builtin_ffs(x); }
int32_t __nv_ffsll(int64_t x) { return __builtin_ffsll(x); }
int32_t __nv_brev(int32_t x) { return int32_t(reversed(uint32_t(x)) >> 32); }
int64_t __nv_brevll(int64_t x) { return int64_t(reversed(uint64_t(x))); }

int32_t __nv_byte_perm(int32_t a, int32_t b, int32_t selector) {
  uint64_t bytes = uint32_t(a) | uint64_t(uint32_t(b)) << 32;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= uint32_t(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return int32_t(result);
}

int32_t __nv_min(int32_t x, int32_t y) { return x < y ? x : y; }
uint32_t __nv_umin(uint32_t x, uint32_t y) { return x < y ? x : y; }
int64_t __nv_llmin(int64_t x, int64_t y) { return x < y ? x : y; }
uint64_t __nv_ullmin(uint64_t x, uint64_t y) { return x < y ? x : y; }
int32_t __nv_max(int32_t x, int32_t y) { return x > y ? x : y; }
uint32_t __nv_umax(uint32_t x, uint32_t y) { return x > y ? x : y; }
int64_t __nv_llmax(int64_t x, int64_t y) { return x > y ? x : y; }
uint64_t __nv_ullmax(uint64_t x, uint64_t y) { return x > y ? x : y; }

int32_t __nv_mulhi(int32_t x, int32_t y) { return int32_t(int64_t(x) * y >> 32); }
uint32_t __nv_umulhi(uint32_t x, uint32_t y) { return uint32_t(uint64_t(x) * y >> 32); }
int64_t __nv_mul64hi(int64_t x, int64_t y) { return int64_t(__extension__(__int128) x * y >> 64); }
uint64_t __nv_umul64hi(uint64_t x, uint64_t y) { return uint64_t(__extension__(unsigned __int128) x * y >> 64); }
int32_t __nv_mul24(int32_t x, int32_t y) { return int32_t(uint32_t(low24(x)) * uint32_t(low24(y))); }
uint32_t __nv_umul24(uint32_t x, uint32_t y) { return (x & 0xffffff) * (y & 0xffffff); }

int32_t __nv_sad(int32_t x, int32_t y, int32_t z) { return int32_t(distance(x, y) + uint32_t(z)); }
uint32_t __nv_usad(uint32_t x, uint32_t y, uint32_t z) { return distance(x, y) + z; }
int32_t __nv_abs(int32_t x) { return x < 0 ? int32_t(-uint32_t(x)) : x; }
int64_t __nv_llabs(int64_t x) { return x < 0 ? int64_t(-uint64_t(x)) : x; }
int32_t __nv_hadd(int32_t a, int32_t b) { return int32_t((int64_t(a) + b) >> 1); }
int32_t __nv_rhadd(int32_t a, int32_t b) { return int32_t((int64_t(a) + b + 1) >> 1); }
uint32_t __nv_uhadd(uint32_t a, uint32_t b) { return uint32_t((uint64_t(a) + b) >> 1); }
uint32_t __nv_urhadd(uint32_t a, uint32_t b) { return uint32_t((uint64_t(a) + b + 1) >> 1); }

float __nv_int_as_float(int32_t x) { return bits<float>(x); }
int32_t __nv_float_as_int(float x) { return bits<int32_t>(x); }
float __nv_uint_as_float(uint32_t x) { return bits<float>(x); }
uint32_t __nv_float_as_uint(float x) { return bits<uint32_t>(x); }
double __nv_longlong_as_double(int64_t x) { return bits<double>(x); }
int64_t __nv_double_as_longlong(double x) { return bits<int64_t>(x); }
double __nv_hiloint2double(int32_t high, int32_t low) {
  return bits<double>(uint64_t(uint32_t(high)) << 32 | uint32_t(low));
}
int32_t __nv_double2loint(double x) { return int32_t(bits<uint64_t>(x)); }
int32_t __nv_double2hiint(double x) { return int32_t(bits<uint64_t>(x) >> 32); }

} // extern "C"
