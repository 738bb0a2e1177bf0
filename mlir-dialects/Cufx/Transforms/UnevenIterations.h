// Loops whose iterations take different times.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"

namespace cufort::cufx {

/// Of cufx.reduction_grid: areUneven holds for the iterations.
inline constexpr llvm::StringLiteral unevenAttribute = "cufx.uneven";

/// True if iterations of the loops may take quite different times, because there are loops in them, or in procedures
/// that they call, that end where what is computed says so.
bool areUneven(KernelLoopsOp loops);

} // namespace cufort::cufx
