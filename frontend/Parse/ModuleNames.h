// Names of modules that the compiler writes into USE statements.
#pragma once

#include "flang/Parser/char-block.h"

namespace Fortran::parser {
struct UseStmt;
}

namespace cufort::frontend {

/// Lets `use` name the module `name`, a string that lives on. `place` is the name of a module in the source, in the
/// same program unit.
void nameModule(Fortran::parser::UseStmt &use, Fortran::parser::CharBlock name, Fortran::parser::CharBlock place);

/// Forgets the statements of another source.
void forgetModuleNames();

} // namespace cufort::frontend
