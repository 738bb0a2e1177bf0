// Streams of launches and of ALLOCATE statements.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes `<<<grid, block, 0, (s)>>>` of `<<<grid, block, 0, s>>>`, and of the streams of CUF kernel directives
/// likewise: lowering takes the value of an expression, but not that of a pointer or an allocatable. Run it before
/// names are resolved. Streams of ALLOCATE become integers of 8 bytes, as lowering needs them.
void takeValuesOfStreams(Fortran::parser::Program &program);

} // namespace cufort::frontend
