// Attributes of names that nothing declares.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Takes names out of ATTRIBUTES statements, with a warning, that the procedure mentions nowhere else. They are left
/// over from variables that are gone; under IMPLICIT NONE Flang has an error for them, other compilers have none. Run
/// it before names are resolved.
void dropUndeclaredAttributes(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
