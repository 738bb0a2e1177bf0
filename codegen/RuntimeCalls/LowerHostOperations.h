// Host-side cufx operations as calls of the runtime.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that turns cufx.launch and the host side of reductions into calls of runtime/ABI/RuntimeABI.h.
std::unique_ptr<mlir::Pass> createLowerHostOperations();

} // namespace cufort::codegen
