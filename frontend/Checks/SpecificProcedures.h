// The order of the specific procedures of generic names.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Puts the procedures whose dummy arguments are nearer to managed data before others. Flang takes two procedures that
/// fit a call equally well for ambiguous as soon as it has seen both; a third one, behind them, may fit better.
void orderSpecificProcedures(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
