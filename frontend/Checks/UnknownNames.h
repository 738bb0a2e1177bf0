// Names of module cudafor that a program does not have.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds to the errors about unknown names, where the name looks like one of module cudafor, what to do: use the module,
/// or its ONLY list, or another spelling. Call it when the analysis has ended.
void explainUnknownNames(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
