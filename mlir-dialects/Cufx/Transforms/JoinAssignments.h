// Neighbouring assignments of array expressions to device arrays that one kernel does.
#pragma once

#include "mlir-dialects/Cufx/Transforms/DeviceAssignment.h"

namespace cufort::cufx {

/// `assignments`, which are in the order of the statements, in groups: one kernel can do those of a group, element by
/// element. They have the same shape, because arrays are in several of them.
llvm::SmallVector<llvm::SmallVector<DeviceAssignment>> joinNeighbours(llvm::ArrayRef<DeviceAssignment> assignments);

/// Turns a group of several assignments into one kernel, and into one for each for the case that variables have streams
/// of their own when the program runs.
void assignTogether(llvm::ArrayRef<DeviceAssignment> group, mlir::ModuleOp module);

} // namespace cufort::cufx
