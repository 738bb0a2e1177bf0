// Objects of `nvcc -rdc=true`, whose device code only nvcc can link.
#pragma once

#include "driver/Jobs/Compiler.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// Returns the files of `inputs` that exist and have relocatable device code of nvcc, themselves or in a member.
std::vector<std::string> findNvccObjects(const std::vector<DeviceLinkInput> &inputs);

} // namespace cufort::driver
