// What functions of module cutensorex have computed.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Where what such a function has computed is assigned to a whole allocatable array, calls the subroutine of the module
/// that allocates it with the shape of the value, as Fortran's assignments do, or says that it is not allocated. A
/// generic assignment cannot have both. Run it after the analysis.
void allocateForComputedArrays(Fortran::parser::Program &program);

} // namespace cufort::frontend
