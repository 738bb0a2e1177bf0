// The rules of CUDA Fortran that Flang's semantics does not check.
#pragma once

#include <string>
#include <vector>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds an error to `context` for every violation in `program`, at the Fortran token. `program` has passed Flang's
/// own semantics without an error.
void checkCuda(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

/// The families of rules that checkCuda() is made of.
void checkAllocations(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkBranches(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkConditions(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkConstantArguments(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkCopies(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkDeclarations(Fortran::semantics::SemanticsContext &context);
void checkDeviceAddresses(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkDeviceStatements(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkExternalCalls(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkFormats(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkHostComponents(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkLaunches(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkMemoryMode(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkKernelLoops(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkReduceClauses(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkStatusVariables(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkVectorSubscripts(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

/// What holds for Fortran without CUDA, too. `program` is as above.
void checkCoarrays(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkIntrinsics(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

/// The rules for the texture pointers of the program's modules, by their names in FIR: replaceTextures() has found
/// them.
void checkTextures(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program,
                   const std::vector<std::string> &textures);

} // namespace cufort::frontend
