// Which statement calls the runtime, for traces.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that calls cufortNoteStatement before transfers, allocations and calls of the routines of module
/// cudafor: with the variables, and for the routines, which are not told where they are called, with the place.
std::unique_ptr<mlir::Pass> createNoteStatements();

} // namespace cufort::codegen
