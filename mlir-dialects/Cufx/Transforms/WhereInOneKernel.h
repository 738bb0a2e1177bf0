// WHERE of host code whose elements do not need each other.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// True if a kernel may do all of `where` for one element after the other: no mask or expression reads another element
/// of what is assigned to. All of it is known to be evaluated by kernels.
bool isForEachElement(hlfir::WhereOp where);

/// Turns `where`, which is for each element, into a CUF kernel.
void assignInOneKernel(hlfir::WhereOp where);

} // namespace cufort::cufx
