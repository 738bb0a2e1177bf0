// Errors of Flang about launches, and about calls of the routines of module cudafor.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Puts errors about whole calls at the argument that is wrong, and adds how a routine of module cudafor is called.
/// Call it when the analysis has ended.
void explainCallErrors(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
