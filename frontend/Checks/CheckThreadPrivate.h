#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds an error for every device variable in a directive THREADPRIVATE that is not allocated while the program runs.
void checkThreadPrivate(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
