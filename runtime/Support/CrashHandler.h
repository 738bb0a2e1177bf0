// What happens between a fatal error of Flang's runtime and the end of the program.
#pragma once

/// Has fatal errors of Flang's runtime call crashExit, and end the program after some seconds. The main program does it.
extern "C" void cufortEndAfterCrash();

namespace cufort::rt {

/// What a fatal error of the calling thread calls first, or null. It may leave by longjmp: then there is no error.
extern thread_local void (*crashExit)();

} // namespace cufort::rt
