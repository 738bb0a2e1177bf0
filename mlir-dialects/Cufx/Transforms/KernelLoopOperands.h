// What CUF kernels use of the host: streams, steps of loops, and scalars behind descriptors.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Gives every CUF kernel of `module` a stream of kind 8, extents of grid and block of kind 4, no iterations where a
/// step is zero, and the address in the place of the descriptor of each pointer or allocatable scalar that its loops
/// assign. Needs HLFIR; the operation cuf.kernel passes verification then.
void repairKernelLoopOperands(mlir::ModuleOp module);

} // namespace cufort::cufx
