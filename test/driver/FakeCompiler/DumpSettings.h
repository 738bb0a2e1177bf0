// Jobs as text, for tests to look at.
#pragma once

#include "driver/Jobs/Compiler.h"
#include <string>

/// Returns one "name = value" line for every setting of `job`.
std::string dumpSettings(const cufort::driver::CompileJob &job);

/// Returns one line for every input and every setting of `job`.
std::string dumpSettings(const cufort::driver::DeviceLinkJob &job);
