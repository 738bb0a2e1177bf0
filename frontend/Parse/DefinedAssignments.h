// Assignments that are calls of subroutines.
#pragma once

namespace Fortran::parser {
struct ActionStmt;
struct Program;
} // namespace Fortran::parser

namespace Fortran::evaluate {
class ProcedureRef;
} // namespace Fortran::evaluate

namespace Fortran::semantics {
class Symbol;
} // namespace Fortran::semantics

namespace cufort::frontend {

/// Returns the call of a subroutine that `action` is as an assignment; null if it is something else.
const Fortran::evaluate::ProcedureRef *definedAssignment(const Fortran::parser::ActionStmt &action);

/// Makes `action`, an assignment that is a call, the statement that calls `subroutine` with the same arguments.
void makeCall(Fortran::parser::ActionStmt &action, const Fortran::semantics::Symbol &subroutine);

/// Makes calls of assignments that a subroutine defines, if it gets data of the device: Flang lowers an assignment to
/// one that may copy the right side first, on the host. Run it after the analysis.
void callDefinedAssignments(Fortran::parser::Program &program);

} // namespace cufort::frontend
