// ALIGN= in ALLOCATE statements, which Flang does not parse.
#pragma once

namespace Fortran::parser {
class CookedSource;
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Lets each `align=` specifier of a source after prescanning be a specifier that Flang parses.
void hideAlignSpecifiers(const Fortran::parser::CookedSource &source);

/// Takes these specifiers out of the ALLOCATE statements of `program`, and tells the runtime library before each of
/// these statements to what its allocations are aligned, and behind it that others are not. In device code they have no
/// effect, which a warning says. Run it before names are resolved.
void applyAlignSpecifiers(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
