// Loop nests of CUF kernels.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Makes the loops of `!$cuf kernel do(n)` follow each other directly, as Flang wants them: assignments to scalars
/// between two of the loops move into the body of the innermost, where each iteration makes them again. Where that
/// would be another program, the directive gets the number of loops that do follow each other, with a warning. CONTINUE
/// that ends an outer loop goes. Labels of outermost loops move to CONTINUE in front of the directives. Nests that are
/// no such nests stay as they are. Run it before names are resolved. Returns false if a mapped loop is DO CONCURRENT:
/// with that error, which it has reported, Flang's analysis would fail.
bool tightenKernelLoops(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
