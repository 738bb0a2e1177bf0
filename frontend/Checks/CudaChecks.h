// The rules of CUDA Fortran that Flang's semantics does not check.
#pragma once

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
void checkDeclarations(Fortran::semantics::SemanticsContext &context);
void checkDeviceStatements(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkIntrinsics(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkLaunches(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkMemoryMode(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
void checkKernelLoops(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
