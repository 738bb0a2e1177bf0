// Specific procedures of generic interfaces.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// MODULE PROCEDURE in a generic interface becomes PROCEDURE, which names procedures with an interface body too: other
/// compilers take either for both. Run it before names are resolved.
void takeAnySpecificProcedure(Fortran::parser::Program &program);

} // namespace cufort::frontend
