// Array functions of cudafor and cutensorex in USE statements.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Modules, and names of functions that programs use from them.
using ModuleFunctions = std::set<std::pair<std::string, std::string>>;

/// Adds to `functions` what messages say modules lack that use cudafor themselves, and so are said to have its
/// functions. Returns true if there was such a name that `functions` did not have.
bool findFunctionsOfUsers(Fortran::semantics::SemanticsContext &context, ModuleFunctions &functions);

/// The functions of device arrays that modules cudafor (SUM, MAXVAL, MINVAL, MAXLOC, MINLOC) and cutensorex are said to
/// have are the intrinsic functions here, which modules cannot export. Takes them out of `use cudafor, only: sum` and
/// `use cudafor, gpusum => sum`, and gives what a program unit has renamed in this way its own name again; what a
/// module renames it takes from a module of this compiler, and passes on. So with the functions `ofUsers`. What of
/// cutensorex is used with ONLY, its assignment comes with. Run it before names are resolved.
void replaceRenamedReductions(Fortran::parser::Program &program, const ModuleFunctions &ofUsers);

} // namespace cufort::frontend
