// Ranks of arguments in calls by generic names.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Adds to errors about calls by generic names the specific procedures that do not fit because of ranks that are
/// allowed where a procedure is called by its own name; Flang gives no reason for these. Run it before
/// explainByNearestProcedure.
void addReasonsOfRank(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
