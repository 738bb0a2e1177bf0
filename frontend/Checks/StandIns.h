// Actual arguments of host code that are device data although Flang sees no attribute.
#pragma once

#include "flang/Semantics/expression.h"

namespace cufort::frontend {

/// A variable to be looked at in the place of `argument` when arguments are matched; nothing if Flang looks at what has
/// the attribute by itself. It does not for a name of ASSOCIATE that stands for a component, a section or an element,
/// and for a function whose result is a pointer.
std::optional<Fortran::semantics::SomeExpr> standInFor(const Fortran::semantics::SomeExpr &argument);

/// The variable with an attribute that stands in parentheses, if `argument` is that; else nothing. Flang writes them
/// around the right side of a defined assignment; the host has no copy of the variable to pass.
std::optional<Fortran::semantics::SomeExpr> inParentheses(const Fortran::semantics::SomeExpr &argument);

} // namespace cufort::frontend
