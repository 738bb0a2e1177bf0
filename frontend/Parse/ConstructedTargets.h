// Structure constructors with pointers to device and managed data.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Has structure constructors evaluated when the program runs whose pointer components point to device or managed
/// variables: analysis takes those for constants that have nothing else in them but constants, and lowering leaves
/// constants to the linker, which does not know the addresses of such variables. Run it after the analysis.
void constructTargetsWhenRun(Fortran::parser::Program &program);

} // namespace cufort::frontend
