#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::evaluate {
class ActualArgument;
}
namespace Fortran::semantics {
class SemanticsContext;
class Symbol;
} // namespace Fortran::semantics

namespace cufort::frontend {

/// True for procedures of module cutensorex.
bool isOfCutensorex(const Fortran::semantics::Symbol &procedure);

/// True if `argument` is a whole array that is allocatable, so that it gets the shape of what is assigned to it.
bool isWholeAllocatable(const Fortran::evaluate::ActualArgument &argument);

/// Adds an error where what a function of module cutensorex makes has other extents than the array on the left, and
/// where DIM is no dimension, as far as constants tell. The module itself checks the rest when the program runs.
void checkComputedArrays(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
