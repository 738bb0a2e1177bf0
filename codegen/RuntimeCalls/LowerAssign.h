// Assignment of derived types that may have components on the device.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes Flang's assignments of derived types with allocatable components, and of objects whose
/// type is known when the program runs only, calls of cufortAssign, which copies the components where they are, and
/// ALLOCATE with SOURCE=, and the values that WHERE and FORALL keep, likewise. The type does not say in FIR which
/// components are device data.
std::unique_ptr<mlir::Pass> createLowerAssign();

} // namespace cufort::codegen
