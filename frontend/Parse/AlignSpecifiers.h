// ALIGN= in ALLOCATE statements, which Flang does not parse.
#pragma once

namespace Fortran::parser {
struct CallStmt;
class CookedSource;
struct Expr;
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

/// The value of ALIGN= if `statement` is a call that tells it the runtime library, else null.
const Fortran::parser::Expr *alignmentIn(const Fortran::parser::CallStmt &statement);

} // namespace cufort::frontend
