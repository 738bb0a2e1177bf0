// -gpu=mem:managed and -gpu=pinned.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that puts the ALLOCATABLE and POINTER data of host procedures, which has no CUDA attribute, into
/// managed or pinned memory. The descriptors say so, as they do for variables with the attribute, so that the memory is
/// given back to where it came from, whoever does it.
std::unique_ptr<mlir::Pass> createManageAllocations(HostMemory memory);

} // namespace cufort::codegen
