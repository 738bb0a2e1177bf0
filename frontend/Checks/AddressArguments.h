// Actual arguments whose address a C function is to get.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Where a dummy argument is a type(c_ptr) or type(c_funptr) with VALUE and the interface says `ignore_tkr`, programs
/// pass a variable or a procedure and mean its address: calls C_LOC and C_FUNLOC there. Run it when names are resolved,
/// before expressions are analysed.
void takeAddresses(Fortran::semantics::SemanticsContext &context, Fortran::parser::Program &program);

} // namespace cufort::frontend
