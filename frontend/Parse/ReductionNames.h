// Array functions of cudafor and cutensorex in USE statements.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// The functions of device arrays that modules cudafor (SUM, MAXVAL, MINVAL, MAXLOC, MINLOC) and cutensorex are said to
/// have are the intrinsic functions here, which modules cannot export. Takes them out of `use cudafor, only: sum` and
/// `use cudafor, gpusum => sum`, and gives what a program unit has renamed in this way its own name again. What of
/// cutensorex is used with ONLY, its assignment comes with. Run it before names are resolved.
void replaceRenamedReductions(Fortran::parser::Program &program);

} // namespace cufort::frontend
