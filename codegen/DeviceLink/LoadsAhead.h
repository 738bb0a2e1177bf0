// Kernels whose loops load what the next round needs.
#pragma once

#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// What the names of such kernels end in.
inline constexpr llvm::StringLiteral loadsAheadSuffix = "$ahead";

/// Returns a kernel that does the same as `kernel`, which is optimised and whose read-only loads are marked, and loads
/// in loops for the next round; null if there is no loop in which that may help. It is behind `kernel` in the module.
llvm::Function *createLoadsAhead(llvm::Function &kernel);

} // namespace cufort::codegen
