// Initial values of device variables, and targets of device pointers, in main programs.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Makes the initial value of a variable of the main program an assignment at its beginning if Flang's lowering forgets
/// it: such a variable is on the device, or its type has components there, and lowering takes it for one of a
/// procedure, which has none. `program` has been analysed in `context` without errors.
void assignInitialValues(Fortran::semantics::SemanticsContext &context, Fortran::parser::Program &program);

} // namespace cufort::frontend
