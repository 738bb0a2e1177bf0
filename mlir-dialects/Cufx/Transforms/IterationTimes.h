// How long the iterations of a CUF kernel take.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include <optional>

namespace cufort::cufx {

/// Of cufx.reduction_grid: areUneven holds for the iterations.
inline constexpr llvm::StringLiteral unevenAttribute = "cufx.uneven";

/// Of cufx.reduction_grid, an integer(4): costOfIteration of the loops.
inline constexpr llvm::StringLiteral costAttribute = "cufx.cost";

/// How often a loop with these bounds and this step runs, if they are constants: 0 or less for never.
std::optional<int64_t> knownTrips(mlir::Value first, mlir::Value last, mlir::Value step);

/// True if iterations of the loops may take quite different times, because there are loops in them, or in procedures
/// that they call, that end where what is computed says so.
bool areUneven(KernelLoopsOp loops);

/// How many operations an iteration has, roughly: those of inner loops count as often as they run, or 16 times if that
/// is not known, and functions of mathematics as 40. At least 1.
int32_t costOfIteration(KernelLoopsOp loops);

} // namespace cufort::cufx
