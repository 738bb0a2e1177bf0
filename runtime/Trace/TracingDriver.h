// A device whose launches, copies, waits and allocations are told on stderr (NVCOMPILER_ACC_NOTIFY). A program that
// does not ask for a trace uses the device itself, so that it pays nothing.
#pragma once

#include "runtime/CudaDriver/DriverTable.h"

namespace cufort::rt {

/// Returns a table that does what `real` does, and writes the lines that the environment asks for. There is one: a
/// second call changes it. Call it before other threads use it.
const DriverTable &tracingDriver(const DriverTable &real);

/// Replaces the functions of `table` that copy and fill by ones that trace what those of `real` do.
void traceCopies(DriverTable &table, const DriverTable &real);

} // namespace cufort::rt
