// FINDLOC, NORM2, IALL, IANY, IPARITY and PARITY as loops.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// Replaces `call`, if it is one of Fortran's runtime library for these functions with numbers or truth values that can
/// be gone through, by a loop that makes each element once and keeps none.
void computeRuntimeReductionInLoop(fir::CallOp call);

} // namespace cufort::cufx
