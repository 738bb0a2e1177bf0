// Copies of array descriptors on the device. A module variable that is an allocatable or pointer array has its
// descriptor twice, and the host's is the authority.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

/// Copies `descriptor` to the device if it is the host copy of a module variable's descriptor. A failure ends the
/// program, naming file:line.
void syncIfGlobal(const FortranDescriptor &descriptor, const char *file, int line);

} // namespace cufort::rt
