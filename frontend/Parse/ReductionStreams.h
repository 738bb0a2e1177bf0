// STREAM= in the array functions of cudafor.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Takes `stream=` out of SUM, MAXVAL, MINVAL, MAXLOC and MINLOC, which are the intrinsic functions here: a call before
/// the statement waits for the work of the stream. Run it before names are resolved.
void waitBeforeReductions(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
