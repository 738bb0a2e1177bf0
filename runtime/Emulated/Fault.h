// Faults of device code: a signal handler notes what happened and leaves the device thread for good, and the worker
// ends the launch with an error instead of the process.
#pragma once

#include "runtime/ABI/EmulatedABI.h"
#include "runtime/CudaDriver/DriverTypes.h"
#include "runtime/Emulated/SourceLines.h"
#include <string>

namespace cufort::rt::emulated {

class Launch;

/// What a signal handler noted about a fault.
struct Fault {
  int signal = 0; ///< 0: there was none
  int code = 0;   ///< si_code
  const void *address = nullptr;
  bool knowsAddress = false; ///< false if the processor does not say it
  bool stackOverflow = false;
  CufortEmuThread thread = {}; ///< who ran
  SourcePlace place;           ///< what ran
};

/// Makes the process's handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL look whether device code was running; what they
/// do not recognise goes to the handlers that were there before. Thread-safe, does something once.
void installFaultHandlers();

/// Gives the calling host thread an alternate signal stack, which a handler needs when a device thread has used up its
/// own. Does something once per host thread.
void ensureSignalStack();

/// Ends `launch` with the error that `fault` means. `exactThread`: false if compiled loops over blocks ran, which keep
/// who they are up to date only for the functions they call.
void reportFault(Launch &launch, const Fault &fault, bool exactThread);

/// Returns what a report says about a device thread that has used up its stack, at `place` if that is known.
std::string stackOverflowText(const CufortEmuThread &thread, size_t stackBytes, const SourcePlace &place = {});

} // namespace cufort::rt::emulated
