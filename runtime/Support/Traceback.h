// The calls that led to the end of a program, for -traceback.
#pragma once

namespace cufort::rt {

/// Writes the calls that lead to the caller to the standard error output, the innermost first, if the main program was
/// compiled with -traceback: procedures as the user named them, with file and line where addr2line finds them. Nothing
/// otherwise.
void printTraceback();

} // namespace cufort::rt
