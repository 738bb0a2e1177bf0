// Which variables a program changes.
#pragma once

#include "flang/Semantics/symbol.h"

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Returns the variables of `program` that a statement may change after their declaration: by assignment, as loop
/// variable, as argument with another intent than IN, or through a pointer.
Fortran::semantics::UnorderedSymbolSet changedVariables(const Fortran::parser::Program &program);

} // namespace cufort::frontend
