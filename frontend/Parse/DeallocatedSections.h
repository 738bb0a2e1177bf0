// DEALLOCATE of arrays with bounds or subscripts.
#pragma once

namespace Fortran::parser {
class CookedSource;
class Messages;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Blanks out the bounds in `deallocate(a(0:n))`, and subscripts, which other compilers take, with a warning. Run it
/// before parsing.
void dropDeallocatedBounds(const Fortran::parser::CookedSource &source, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
