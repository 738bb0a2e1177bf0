// Directives of OpenMP that Flang's lowering does not know.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Takes directives out of `program` that mean nothing for what it computes, with a warning each: DECLARE SIMD, UNROLL,
/// ASSUME, ASSUMES and DISPATCH, and NOTHING without one; so with the clause ALLOCATE. Others, which choose what is
/// done, are errors: METADIRECTIVE, DECLARE VARIANT and ERROR. Run it before names are resolved.
void dropOpenMPAdvice(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
