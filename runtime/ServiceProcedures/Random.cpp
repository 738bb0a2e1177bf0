#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include <cstdlib>

extern "C" {
float _FortranARand(std::int32_t *flag, const char *sourceFile, int line);
std::int32_t _FortranAIrand(std::int32_t *flag);
}

float ran_(std::int32_t *seed) {
  std::uint32_t next = 69069u * static_cast<std::uint32_t>(*seed) + 1u;
  *seed = static_cast<std::int32_t>(next);
  // The low bits repeat soon; a real(4) has no room for them anyway.
  return static_cast<float>(next >> 8) * 0x1p-24f;
}

float random_(const std::int32_t *flag) { return static_cast<float>(irandm_(flag) >> 7) * 0x1p-24f; }

std::int32_t irandm_(const std::int32_t *flag) {
  if (*flag != 0)
    srand48(*flag);
  return static_cast<std::int32_t>(lrand48());
}

float rand_() { return _FortranARand(nullptr, nullptr, 0); }

std::int32_t irand_() { return _FortranAIrand(nullptr); }

double drand_(const std::int32_t *flag) { return drandm_(flag); }

double drandm_(const std::int32_t *flag) {
  if (*flag != 0)
    srand48(*flag);
  return drand48();
}
