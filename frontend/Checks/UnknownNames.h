// Names that a program does not have, and that are like those of modules cudafor and cudadevice.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds to the errors about unknown names, where the name looks like one of module cudafor, what to do: use the module,
/// or its ONLY list, or another spelling. In device code names of module cudadevice are suggested. Of several errors
/// about one undeclared name of a scope the first stays. Call it when the analysis has ended.
void explainUnknownNames(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
