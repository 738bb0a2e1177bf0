// Procedures of UNIX and VAX Fortran that share a name with others.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes host code call the procedure that its arguments are for, where one name has several:
/// IDATE with three arguments is VAX Fortran's, with one that of UNIX; ACCESS is not the one of Flang's runtime, which
/// has another order of arguments. The runtime calls the program's own procedure if there is one. EXIT without an
/// argument gets the status 0.
std::unique_ptr<mlir::Pass> createSelectServiceProcedures();

} // namespace cufort::codegen
