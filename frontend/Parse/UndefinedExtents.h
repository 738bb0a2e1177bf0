// Extents that have no value.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Makes assumed-size arrays of the dummy arguments whose last extent is a local variable, with a warning: its value is
/// not defined there, and nothing but whole arrays asks for it. Flang has an error for it, other compilers have none.
/// Run it before names are resolved.
void assumeUndefinedExtents(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
