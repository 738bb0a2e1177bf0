// Addresses of device variables that the runtime allocates in each device.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that lets the host ask the runtime for the addresses of variables with eachDeviceAttribute
/// (cufortMemInDevice). What remains of such a variable is a byte, by whose address the runtime knows it.
/// Requires: each declaration has an address of its own, next to it (createLookUpWhereDeclared).
std::unique_ptr<mlir::Pass> createAllocateInEachDevice();

} // namespace cufort::codegen
