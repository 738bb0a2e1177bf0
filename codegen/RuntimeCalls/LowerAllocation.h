// Variables with a CUDA attribute in host procedures.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that gives non-allocatable device, managed, unified and pinned variables of host procedures their
/// memory, and takes it back where the procedure ends: cuf.alloc and cuf.free become calls of cufortMemAlloc and
/// Flang's release routine. A descriptor lives on the host's stack. cuf.deallocate of a pointer becomes a call of
/// cufortPointerDeallocate: the Fortran runtime would look for its own mark behind the device memory.
std::unique_ptr<mlir::Pass> createLowerAllocation();

} // namespace cufort::codegen
