// Errors of Flang about operators and assignments that procedures define.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Where no procedure takes the operands of an operator or the sides of an assignment, and one of these is a derived
/// type on the device, that is the reason: the error says so, at the operand. Call it when the analysis has ended.
void explainOperatorErrors(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
