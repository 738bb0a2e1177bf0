// Streams of the array functions of cudafor.
#pragma once

#include <cstddef>
#include <set>

namespace Fortran::parser {
class AllCookedSources;
struct Program;
} // namespace Fortran::parser
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Where actual arguments begin: offsets in all that has been read of a source.
using ArgumentPlaces = std::set<std::size_t>;

/// The subroutine of the runtime that waits, as a program without an interface calls it. Its argument is the sum of the
/// stream and 0.
inline constexpr char waitForStream[] = "cufort_wait_for_stream";

/// Adds to `streams` the last arguments, if they are integers, of references to SUM, MAXVAL, MINVAL, MAXLOC and MINLOC
/// that have one argument more than Flang finds use for, as in `sum(a, mask, stream)`. Returns true if there was such
/// an argument that `streams` did not have.
bool findStreamArguments(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program,
                         ArgumentPlaces &streams);

/// Takes `stream=`, and the arguments at `streams`, out of SUM, MAXVAL, MINVAL, MAXLOC and MINLOC, which are the
/// intrinsic functions here: a call before the statement or construct waits for the work of the stream, that in each
/// round of DO WHILE. Run it before names are resolved.
void waitBeforeReductions(Fortran::parser::Program &program, const ArgumentPlaces &streams,
                          const Fortran::parser::AllCookedSources &sources);

} // namespace cufort::frontend
