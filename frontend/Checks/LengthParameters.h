// Derived types with length parameters.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds an error to `context` for every variable whose type has length parameters: lowering knows nothing of them. The
/// definition of such a type alone does no harm.
void checkLengthParameters(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
