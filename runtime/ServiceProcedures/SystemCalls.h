// What the operating system answers to Fortran programs.
#pragma once

#include <cerrno>
#include <cstdint>

namespace cufort::rt {

/// 0 if `result` of a function of the operating system is 0, else what it says is wrong.
inline std::int32_t codeOf(int result) { return result == 0 ? 0 : errno; }

} // namespace cufort::rt
