// DEVICE= in the chevrons of CUF kernels.
#pragma once

namespace Fortran::parser {
class CookedSource;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Rewrites chevrons of CUF kernels with what Flang's parser does not know, `device=` and a 0 before a keyword, so that
/// it takes them; `selectKernelLoopDevices` undoes it. The text keeps its length. Run it before parsing.
void hideKernelLoopDevices(const Fortran::parser::CookedSource &source);

/// Makes the device of a CUF kernel with `device=` the current one for that kernel: puts calls of the runtime around
/// its loop. Run it after parsing, before names are resolved.
void selectKernelLoopDevices(Fortran::parser::Program &program);

} // namespace cufort::frontend
