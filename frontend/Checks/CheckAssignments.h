#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"

namespace cufort::frontend {

/// Warns of assignments of device data that copy, where the same assignment of host data calls a procedure.
void checkAssignments(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
