#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include <cstdlib>

float ran_(std::int32_t *seed) {
  std::uint32_t next = 69069u * static_cast<std::uint32_t>(*seed) + 1u;
  *seed = static_cast<std::int32_t>(next);
  // The low bits repeat soon; a real(4) has no room for them anyway.
  return static_cast<float>(next >> 8) * 0x1p-24f;
}

double drand_(const std::int32_t *flag) { return drandm_(flag); }

double drandm_(const std::int32_t *flag) {
  if (*flag != 0)
    srand48(*flag);
  return drand48();
}
