// Tells the emulated device of what device code reads and writes, for -gpu=check.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// Adds a call of cufortEmuSharedAccess to every access of a device module in the LLVM dialect that may be one to
/// shared memory. The emulated device finds data races by them.
std::unique_ptr<mlir::Pass> createNoteSharedAccesses();

} // namespace cufort::codegen
