// Module iso_c_binding beside module cudafor.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Gives every USE of the intrinsic module iso_c_binding in `program` the module cufort_iso_c_binding instead. Both
/// cudafor and iso_c_binding export a c_f_pointer; Flang calls the name ambiguous unless it is the same entity. Run
/// it before names are resolved.
void replaceIsoCBinding(Fortran::parser::Program &program);

} // namespace cufort::frontend
