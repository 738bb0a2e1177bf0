// What the device link has to look at, found among the arguments of the link.
#pragma once

#include "driver/Jobs/Compiler.h"
#include "driver/Options/Invocation.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// Returns the objects and static libraries of the link, in the order of the command line: files, and what -l finds in
/// the directories of -L as the linker would (a shared library hides a static one, except after -Bstatic). `objects`
/// has the file that is linked for each input of `invocation`.
std::vector<DeviceLinkInput> collectDeviceInputs(const Invocation &invocation, const std::vector<std::string> &objects);

} // namespace cufort::driver
