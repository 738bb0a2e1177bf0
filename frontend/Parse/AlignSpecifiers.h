// ALIGN= in ALLOCATE statements, which Flang does not parse.
#pragma once

namespace Fortran::parser {
class CookedSource;
class Messages;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Blanks out each `align=` specifier of a source after prescanning, with a warning: allocations have the alignment of
/// the system's or the driver's memory.
void dropAlignSpecifiers(const Fortran::parser::CookedSource &source, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
