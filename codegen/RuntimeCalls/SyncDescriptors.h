// Descriptors of module variables that procedures change under another name.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// A pass that lets the runtime bring descriptors to the device which may be those of module variables: dummy device
/// pointers that host code associates, and the arguments of move_alloc. The device has a copy of those.
std::unique_ptr<mlir::Pass> createSyncDescriptors();

} // namespace cufort::codegen
