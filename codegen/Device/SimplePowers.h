// Powers that need no library function.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Makes bits of integer powers of 2 and of powers of -1, as signs that alternate have, and square roots of powers with
/// multiples of a half or of a quarter: what the library does takes a loop, or two hundred instructions.
std::unique_ptr<mlir::Pass> createSimplePowers();

} // namespace cufort::codegen
