#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds an error where what a function of module cutensorex makes has other extents than the array on the left, and
/// where DIM is no dimension, as far as constants tell. The module itself checks the rest when the program runs.
void checkComputedArrays(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
