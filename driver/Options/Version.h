// The version of cufort, which comes from the project() line of the build.
#pragma once

namespace cufort::driver {

constexpr const char *cufortVersion = CUFORT_VERSION;

} // namespace cufort::driver
