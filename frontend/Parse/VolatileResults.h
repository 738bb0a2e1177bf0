// Function results with VOLATILE.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Takes VOLATILE from the results of functions, which nobody else sees before the function returns: lowering would not
/// return what has been assigned to them. `context` holds a program that has been analysed without errors.
void dropVolatileOfResults(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
