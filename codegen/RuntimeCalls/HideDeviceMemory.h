// Hides device memory from Flang's code generation.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that keeps Flang's code generation from recognising device memory: it would put every descriptor
/// of such memory into managed memory, which it never frees. Our launches pass descriptors by value. Calls of Flang's
/// allocation routine become calls of cufortMemAlloc, and dummy arguments lose their CUDA attribute.
/// Requires: cuf operations have been lowered.
std::unique_ptr<mlir::Pass> createHideDeviceMemory();

} // namespace cufort::codegen
