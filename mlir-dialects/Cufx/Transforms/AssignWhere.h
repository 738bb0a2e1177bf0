// WHERE of host code on device arrays.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// True for a statement or construct of host code all of whose arrays are on the device.
bool isOfDeviceArrays(hlfir::WhereOp where);

/// Turns WHERE statements and constructs of host code whose arrays are all on the device into CUF kernels.
void assignWhere(mlir::ModuleOp module);

} // namespace cufort::cufx
