// What every CUDA device is limited to.
#pragma once

#include <cstdint>

namespace cufort::frontend {

constexpr intmax_t maxThreadsPerBlock = 1024;

} // namespace cufort::frontend
