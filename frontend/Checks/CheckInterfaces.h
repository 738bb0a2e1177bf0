#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"

namespace cufort::frontend {

/// Reports dummy arguments whose memory differs from what an interface says that callers see: in the bodies of separate
/// module procedures, and of procedures that are arguments or targets of procedure pointers; and device procedures that
/// are such arguments or targets in host code.
void checkInterfaces(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
