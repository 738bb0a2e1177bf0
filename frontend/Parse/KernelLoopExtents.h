// Extents in the chevrons of CUF kernels that are expressions with parentheses at their beginning.
#pragma once

namespace Fortran::parser {
class CookedSource;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Lets Flang's parser take `<<<(n + 255) / 256, 256>>>`, where it expects a list of extents;
/// `restoreKernelLoopExtents` undoes it. The text keeps its length. Run it before parsing.
void hideKernelLoopExtents(const Fortran::parser::CookedSource &source);

/// Makes what `hideKernelLoopExtents` has hidden expressions in parentheses again. Run it after parsing, before names
/// are resolved.
void restoreKernelLoopExtents(Fortran::parser::Program &program);

} // namespace cufort::frontend
