// The assignment of Flang's runtime. Its header is not installed.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"

namespace cufort::rt {

/// What Flang's runtime asks of an assignment, or-ed together.
enum FlangAssignment {
  MayReallocate = 1,
  NeedsFinalization = 2,
  ComponentsMayBeDefined = 8,
  TakesType = 32 ///< the target, which is CLASS or a temporary, gets the type of the value
};

/// CFI_VERSION of Flang 22.
constexpr int32_t flangDescriptorVersion = 20240719;

/// Does what the standard says of allocation, shapes and defined assignment. Moves bytes between any memories, but
/// gives what it allocates initial values as if it were the host's.
void flangAssign(FortranDescriptor &to, const FortranDescriptor &from, int flags, const char *file, int line);

/// Gives `object`, which has just been allocated, the value of `source`, as flangAssign does.
void flangAssignSource(FortranDescriptor &object, const FortranDescriptor &source, const char *file, int line);

} // namespace cufort::rt
