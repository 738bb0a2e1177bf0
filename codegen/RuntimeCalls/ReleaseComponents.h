// The end of objects with polymorphic components, and with arrays of derived types as components.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes host code free what the components of an object hold, device memory above all, before
/// Flang's runtime does: that goes by the declared types of polymorphic components, of which CLASS(*) has none, and of
/// components that are arrays of a derived type it frees what the first element holds.
std::unique_ptr<mlir::Pass> createReleaseComponents();

} // namespace cufort::codegen
