// The macros that exist before the first line of a source is read.
#pragma once

#include "driver/Options/Settings.h"
#include <vector>

namespace cufort::driver {

/// Returns the predefined macros of a source compiled as `language` says. `cudaVersion` is 13000 for CUDA 13.0.
std::vector<MacroDefinition> predefinedMacros(const LanguageSettings &language, unsigned cudaVersion);

} // namespace cufort::driver
