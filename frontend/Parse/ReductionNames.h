// Array functions of cudafor in USE statements.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// SUM, MAXVAL, MINVAL, MAXLOC and MINLOC of device data are the intrinsic functions here, which module cudafor cannot
/// export. Takes them out of `use cudafor, only: sum` and `use cudafor, gpusum => sum`, and gives what a program unit
/// has renamed in this way its own name again. Run it before names are resolved.
void replaceRenamedReductions(Fortran::parser::Program &program);

} // namespace cufort::frontend
