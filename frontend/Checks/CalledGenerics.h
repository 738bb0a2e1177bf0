// Which generic name, operator or assignment a specific procedure is tried for.
#pragma once

#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "llvm/ADT/SmallVector.h"

namespace cufort::frontend {

/// The specific procedure that Flang tries for the call that is being analysed, as the list of the generic has it; null
/// if that is not known.
const Fortran::semantics::Symbol *triedProcedure();

/// The generics that the call may be of for which `tried` is tried: names, operators and assignments, of the scope or
/// of a type. None if they have too few procedures, or dummy arguments, for two of them to be equally near to arguments
/// before a third one is nearer.
llvm::SmallVector<const Fortran::semantics::GenericDetails *>
genericsOfCall(const Fortran::semantics::Symbol &tried, Fortran::semantics::SemanticsContext &context);

/// Looks for generics, now that all names of the program are known. Before, those of names are found only.
void rememberGenerics(Fortran::semantics::SemanticsContext &context);
void forgetGenerics();

} // namespace cufort::frontend
