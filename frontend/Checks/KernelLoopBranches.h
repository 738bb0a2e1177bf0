// Branches in the bodies of CUF kernels.
#pragma once

#include <vector>

namespace Fortran::parser {
class CharBlock;
struct Program;
} // namespace Fortran::parser
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// The sources of all CYCLE, EXIT and GOTO statements of CUF kernels whose target is in the same iteration, or is the
/// end of it. `program` has passed the analysis of expressions, since the number of parallel loops is one.
std::vector<Fortran::parser::CharBlock>
findBranchesWithinIterations(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
