// Separate module procedures whose interfaces lie in the same module.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes each `module procedure p` ... `end procedure` with its interface in the same module or submodule an ordinary
/// procedure: Flang takes statements of one procedure for parts of another there, and writes module files that cannot
/// be read.
void joinSeparateProcedures(Fortran::parser::Program &program);

} // namespace cufort::frontend
