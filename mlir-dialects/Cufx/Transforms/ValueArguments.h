// Arguments that are derived types with VALUE.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets launches take variables of types with allocatable components as they are: what the components hold is that of
/// the variable, not a copy that Flang would make for VALUE and never free.
void passRecordsAsTheyAre(mlir::ModuleOp module);

/// Gives procedures that device code calls copies of such variables, with all that they hold, and destroys these behind
/// the calls.
void copyRecordsForCalls(mlir::ModuleOp module);

} // namespace cufort::cufx
