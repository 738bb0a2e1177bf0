// Expressions that the standard does not have and other compilers take.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Makes standard expressions of comparisons of logical values by `==` and `/=`, and of array constructors that begin
/// with a real number and have integers or real numbers of other kinds among their values; warns. Run it when names are
/// resolved, before expressions are analysed.
void rewriteLenientExpressions(Fortran::semantics::SemanticsContext &context, Fortran::parser::Program &program);

} // namespace cufort::frontend
