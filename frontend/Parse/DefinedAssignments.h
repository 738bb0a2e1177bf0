// Assignments that are calls of subroutines.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes calls of assignments that a subroutine defines, if it gets data of the device: Flang lowers an assignment to
/// one that may copy the right side first, on the host. Run it after the analysis.
void callDefinedAssignments(Fortran::parser::Program &program);

} // namespace cufort::frontend
