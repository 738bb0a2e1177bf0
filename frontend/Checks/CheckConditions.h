// Device data in the conditions of host statements.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// A family of rules of checkCuda(): adds an error for every condition of a host statement that reads device data.
void checkConditions(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
