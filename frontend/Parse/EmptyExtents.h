// Empty items in the chevrons of CUF kernels.
#pragma once

namespace Fortran::parser {
class CookedSource;
}

namespace cufort::frontend {

/// Writes `*` for a grid or a block that is empty, as in `!$cuf kernel do(2) <<<,>>>`. The text keeps its length:
/// blanks before the chevrons make room. Run it before parsing, and before the other functions for chevrons of CUF
/// kernels.
void completeKernelLoopExtents(const Fortran::parser::CookedSource &source);

} // namespace cufort::frontend
