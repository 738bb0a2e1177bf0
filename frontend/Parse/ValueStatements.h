// ATTRIBUTES(VALUE) as a statement, which Flang does not parse.
#pragma once

namespace Fortran::parser {
class CookedSource;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Makes each `attributes(value) :: a, b` of a source after prescanning the statement `value :: a, b`.
void translateValueStatements(const Fortran::parser::CookedSource &source);

} // namespace cufort::frontend
