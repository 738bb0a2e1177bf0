// Assignments that the parser has taken for statement functions.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Gives the subscripts of such assignments their places in the source. A first statement `a(i) = 1` reads like a
/// statement function; Flang makes an assignment of it once it knows that `a` is an array, and its messages about the
/// subscripts would have no place.
void placeSubscripts(Fortran::parser::Program &program);

} // namespace cufort::frontend
