// ALLOCATE and DEALLOCATE of host variables without STAT=.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that ends the program with a message (Fortran 2023, 9.7.1.3, 9.7.3.2) where an ALLOCATE statement
/// in host code finds its variable allocated or no memory, and DEALLOCATE its variable not allocated. Flang's lowering
/// takes memory of malloc for them and looks at nothing.
std::unique_ptr<mlir::Pass> createCheckAllocations();

} // namespace cufort::codegen
