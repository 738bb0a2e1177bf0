// CUF kernels in procedures with ENTRY statements.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Puts each CUF kernel that has an ENTRY statement behind it into an IF construct. Of an ENTRY statement Flang makes a
/// branch over all that is before it in the procedure, for which it finds no end in a CUF kernel that is no part of
/// another construct. Run it behind tightenKernelLoops, and before names are resolved.
void wrapKernelsBeforeEntries(Fortran::parser::Program &program);

} // namespace cufort::frontend
