// The prefixes of procedures.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Makes one prefix of several: `attributes(host) attributes(device)` means `attributes(host,device)`, and Flang stops
/// with an internal error when it meets a second one. Run it before names are resolved.
void joinAttributes(Fortran::parser::Program &program);

/// Takes the types from subroutines, with an error: Flang stops with an internal error if attributes(...) are there,
/// too. Run it before names are resolved.
void dropTypesOfSubroutines(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

/// Takes PURE from kernels, with a warning. CUDA Fortran has no pure kernels, but programs have them: what PURE would
/// forbid is no error then, and calls of kernels have effects in any case. Run it before names are resolved.
void dropPureOfKernels(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

/// Makes pure procedures recursive, whose local variables -Msave does not keep: none of a pure procedure may be kept.
/// Run it before names are resolved.
void keepNoLocalsOfPureProcedures(Fortran::parser::Program &program);

/// Lets lowering take the local variables of device procedures for those of each thread although -Msave is given: it
/// does not keep those of recursive procedures.
void keepNoLocalsOfDeviceProcedures(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
