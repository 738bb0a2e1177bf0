// Loop nests of CUF kernels.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes the loops of `!$cuf kernel do(n)` follow each other directly, as Flang wants them: assignments to scalars
/// between two of the loops move into the body of the innermost, where each iteration makes them again. Nests in which
/// that would be another program stay as they are. Run it before names are resolved.
void tightenKernelLoops(Fortran::parser::Program &program);

} // namespace cufort::frontend
