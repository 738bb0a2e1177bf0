#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"

namespace cufort::frontend {

/// Reports pointer assignments of host code that associate pointers of one memory with data of another, as far as a
/// component or the result of a function is a side of it, and assignments to functions that return pointers to device
/// data. Associations of one variable with another the pass that checks host code reports.
void checkPointerAssignments(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
