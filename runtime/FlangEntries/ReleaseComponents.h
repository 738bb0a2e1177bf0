// What components of derived types hold.
#pragma once

#include "runtime/FlangEntries/TypeDescription.h"

namespace cufort::rt {

/// True if the host may read what is at `address`.
bool hostReads(const void *address);

/// Frees what the allocatable components of `objects`, which are of `type`, hold, without calling FINAL procedures.
void releaseComponents(const StridedArray &objects, const TypeDescription &type);

/// Frees the memory of `object`, an allocatable, but nothing that components in it hold.
void releaseObject(FortranDescriptor &object);

} // namespace cufort::rt
