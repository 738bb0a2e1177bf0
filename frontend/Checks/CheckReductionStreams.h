#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds an error for every stream of SUM, MAXVAL, MINVAL, MAXLOC and MINLOC that is no scalar integer.
void checkReductionStreams(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
