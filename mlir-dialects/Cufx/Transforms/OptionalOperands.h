// Optional dummy arguments in CUF kernels.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace cufort::cufx {

/// Lets the host find out which optional arguments are there that the loops of `kernel` use, and gives the loops
/// something that can be read in the place of the others.
void makeOptionalOperandsPresent(cuf::KernelOp kernel);

} // namespace cufort::cufx
