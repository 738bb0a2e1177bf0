// WHERE of host code whose elements do not need each other.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// Turns `where`, which is for each element and whose expressions are all evaluated by kernels, into a CUF kernel. It may
/// have no mask, and stand for statements that follow each other.
void assignInOneKernel(hlfir::WhereOp where);

} // namespace cufort::cufx
