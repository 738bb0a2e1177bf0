// WHERE of host code whose elements do not need each other.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// Turns `where`, which is for each element and whose expressions are all evaluated by kernels, into a CUF kernel.
void assignInOneKernel(hlfir::WhereOp where);

} // namespace cufort::cufx
