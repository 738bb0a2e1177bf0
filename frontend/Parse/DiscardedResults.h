// Calls of the functions of cudafor with CALL.
#pragma once

#include <cstddef>
#include <set>

namespace Fortran::parser {
class AllCookedSources;
class Messages;
struct Program;
} // namespace Fortran::parser
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Where statements begin: offsets in all that has been read of a source.
using StatementPlaces = std::set<std::size_t>;

/// Adds to `places` the CALL statements of host code that call integer functions of module cudafor. Returns true if
/// there was one that `places` did not have. Run it when names have been resolved.
bool findDiscardedResults(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program,
                          StatementPlaces &places);

/// Lets the CALL statements at `places` pass what the functions return to a subroutine that ignores it; warns. Run it
/// before names are resolved.
void discardResults(Fortran::parser::Program &program, const StatementPlaces &places,
                    const Fortran::parser::AllCookedSources &sources, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
