// Directives that say how loops are to be unrolled.
#pragma once

#include <string>
#include <vector>

namespace Fortran::parser {
class AllCookedSources;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// What the DO constructs of `program` have UNROLL and NOUNROLL before them for, as cufx::unrollDirectivesAttribute
/// describes it.
std::vector<std::string> unrollDirectives(const Fortran::parser::Program &program,
                                          const Fortran::parser::AllCookedSources &sources);

} // namespace cufort::frontend
