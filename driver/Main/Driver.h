// The whole driver in one call.
#pragma once

#include "driver/Jobs/Compiler.h"

namespace cufort::driver {

/// Does what the command line says, with `compiler` for Fortran and device code, and returns the exit status: 0, 1 for
/// a failure, 2 for a wrong command line. `argv[0]` is only used in messages: cufort, nvfortran and pgfortran are the
/// same program. Does not return if the user ends the process.
int runDriver(int argc, const char *const *argv, Compiler &compiler);

} // namespace cufort::driver
