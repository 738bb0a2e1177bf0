// Contiguous copies of sections of device data.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes the copy of an argument's section a device array if the section is one: calls of Flang's
/// copy-in and copy-out routines in host code become calls of cufortCopyIn and cufortCopyOut.
std::unique_ptr<mlir::Pass> createLowerCopyInOut();

} // namespace cufort::codegen
