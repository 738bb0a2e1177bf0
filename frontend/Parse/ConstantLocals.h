// Variables of device procedures that are constants in all but name.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Makes named constants of the variables of kernels and device procedures that have an initial value and that nothing
/// changes. Run it after the analysis, before the checks.
void makeConstantsOfLocals(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
