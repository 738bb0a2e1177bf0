// What happens when the program ends. Two handlers: one runs before the driver shuts down and waits for the device, so
// that output of kernels appears and faults are found; one runs after every other exit handler, when all files of the
// program are closed, and turns an unreported failure into exit status 1.
#pragma once

namespace cufort::rt {

/// Has the first handler run at exit. Called when the device is chosen, which is after the driver has registered its
/// own exit handlers: handlers run in the opposite order. Idempotent.
void synchronizeAtExit();

/// True once the program is ending: the driver must not be called any more.
bool programIsEnding();

} // namespace cufort::rt
