// Which specific procedure of a generic name is nearest to the arguments of a call.
#pragma once

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/characteristics.h"
#include "flang/Semantics/semantics.h"

namespace cufort::frontend {

/// True if the generic name of the call that is being analysed has another specific procedure that is nearer to
/// `arguments` than `procedure`, which matches (CUDA Fortran guide, table 2). `matches` says whether a procedure does.
/// Looked for in calls without keywords, only where the order of orderSpecificProcedures() is not that of the
/// distances: among procedures some of which have unified dummy arguments.
bool hasNearerProcedure(const Fortran::evaluate::characteristics::Procedure &procedure,
                        const Fortran::evaluate::ActualArguments &arguments,
                        Fortran::semantics::SemanticsContext &context,
                        llvm::function_ref<bool(const Fortran::evaluate::characteristics::Procedure &,
                                                Fortran::evaluate::ActualArguments &)>
                            matches);

} // namespace cufort::frontend
