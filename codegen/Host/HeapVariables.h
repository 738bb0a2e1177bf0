// Local variables of host procedures that are too large for the stack.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that allocates local variables and temporaries of a host procedure in the heap, until it returns:
/// large ones, and arrays whose extents are known only when the program runs. A stack has some MB, for a thread often
/// less, and a program that needs more ends without a word.
std::unique_ptr<mlir::Pass> createHeapVariables();

} // namespace cufort::codegen
