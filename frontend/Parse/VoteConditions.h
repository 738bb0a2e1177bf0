// Votes of a warp or a block as conditions.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes `if (ballot(n) /= 0)` of `if (ballot(n))`: programs use the integer that a vote returns as a condition. Run it
/// before names are resolved.
void compareVotes(Fortran::parser::Program &program);

} // namespace cufort::frontend
