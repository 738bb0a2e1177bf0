// Actual arguments of host code that are device data although Flang sees no attribute.
#pragma once

#include "flang/Semantics/expression.h"

namespace cufort::frontend {

/// A variable to be looked at in the place of `argument` when arguments are matched; nothing if Flang looks at what has
/// the attribute by itself. It does not for a name of ASSOCIATE that stands for a component, a section or an element,
/// and for a function whose result is a pointer.
std::optional<Fortran::semantics::SomeExpr> standInFor(const Fortran::semantics::SomeExpr &argument);

/// A value, which has no attribute, in the place of `argument` if that is pinned; else nothing. Pinned data is data of
/// the host, but Flang has no distance of it to any dummy argument when it chooses among procedures that match.
std::optional<Fortran::semantics::SomeExpr> standInForPinned(const Fortran::semantics::SomeExpr &argument);

} // namespace cufort::frontend
