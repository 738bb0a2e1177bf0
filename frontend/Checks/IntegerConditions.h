// Integers as conditions.
#pragma once

#include "flang/Parser/parse-tree.h"

namespace cufort::frontend {

/// Returns `expression /= 0`, at the place of the expression.
Fortran::parser::Expr isNotZero(Fortran::parser::Expr &&expression);

/// Makes `if (n /= 0)` of `if (n)` where n is an integer, and of conditions of DO WHILE: programs written for other
/// compilers have them. The names of `program` are resolved, and its expressions not yet analysed.
void compareIntegerConditions(Fortran::parser::Program &program);

} // namespace cufort::frontend
