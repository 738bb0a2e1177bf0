// The end of objects with polymorphic components.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that makes host code free what the objects in polymorphic components hold, device memory above all,
/// before Flang's runtime frees the components: it goes by their declared types, of which CLASS(*) has none.
std::unique_ptr<mlir::Pass> createReleaseComponents();

} // namespace cufort::codegen
