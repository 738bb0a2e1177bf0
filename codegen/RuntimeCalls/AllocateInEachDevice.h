// Addresses of device variables that the runtime allocates in each device.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that turns cufx.each_device into calls of cufortMemInDevice. What remains of a variable is a byte,
/// by whose address the runtime knows it.
std::unique_ptr<mlir::Pass> createAllocateInEachDevice();

} // namespace cufort::codegen
