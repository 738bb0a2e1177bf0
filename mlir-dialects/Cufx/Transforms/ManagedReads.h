// Host code that reads managed arrays as a whole, while kernels may still write them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// True for SUM and other functions that read arrays as a whole and are operations of HLFIR.
bool isArrayFunction(mlir::Operation *op);

/// Lets host code wait for kernels before such functions, and those of the run-time library, read managed arrays, or
/// arrays that -gpu=mem: lets device code use. The program waits itself before all other reads of such data.
void waitForManagedArrays(mlir::ModuleOp module);

} // namespace cufort::cufx
