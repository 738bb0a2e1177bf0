// ALIGN= of ALLOCATE.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that lets the runtime allocate host variables where ALLOCATE has ALIGN=: malloc knows no alignment.
std::unique_ptr<mlir::Pass> createAlignAllocations();

} // namespace cufort::codegen
