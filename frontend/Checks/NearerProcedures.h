// Which specific procedure of a generic name is nearest to the arguments of a call.
#pragma once

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/characteristics.h"
#include "flang/Semantics/semantics.h"

namespace cufort::frontend {

/// The dummy argument of `procedure` for the argument at `index`, or null.
const Fortran::evaluate::characteristics::DummyDataObject *
dummyFor(const Fortran::evaluate::characteristics::Procedure &procedure,
         const Fortran::evaluate::ActualArguments &arguments, size_t index);

/// True if the generic name, operator or assignment of the call that is being analysed has another specific procedure
/// that is nearer to `arguments` than `procedure` (CUDA Fortran guide, table 2). `arguments` are in the order of the
/// call. `matches` says whether they match a procedure.
bool hasNearerProcedure(const Fortran::evaluate::characteristics::Procedure &procedure,
                        const Fortran::evaluate::ActualArguments &arguments,
                        Fortran::semantics::SemanticsContext &context,
                        llvm::function_ref<bool(const Fortran::evaluate::characteristics::Procedure &,
                                                Fortran::evaluate::ActualArguments &)>
                            matches);

} // namespace cufort::frontend
