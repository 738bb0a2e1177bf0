// Masks of reductions in host code that may be absent.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Lets reductions take a mask that is a whole allocatable or pointer, which lowering turns into no mask if it is not
/// allocated or associated, as the array that it is: kernels can read it then. Reductions to an array have their mask.
void takeMasksAsArrays(mlir::ModuleOp module);

} // namespace cufort::cufx
