// The order of the specific procedures of generic names.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
class SubprogramDetails;
class Symbol;
} // namespace Fortran::semantics

namespace cufort::frontend {

/// The interface of one of the procedures of a generic name, or null if it is not known, or not here yet.
const Fortran::semantics::SubprogramDetails *procedureOf(const Fortran::semantics::Symbol &specific);

/// Puts the procedures whose dummy arguments are nearer to managed data before others. Flang takes two procedures that
/// fit a call equally well for ambiguous as soon as it has seen both; a third one, behind them, may fit better.
void orderSpecificProcedures(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
