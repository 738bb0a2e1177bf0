// INTENT(OUT) of dummy arguments of kernels.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Makes INTENT(INOUT) of INTENT(OUT) where a kernel's dummy has a derived type or CLASS(*). Lowering gives such a dummy its
/// default initial values, and frees its components, when the procedure begins; in a kernel every thread would do that
/// to what others have written. `context` holds a program that has been analysed without errors.
void keepOutputsOfKernels(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
