// Powers that need no library function.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Makes bits of integer powers of 2 and of powers of -1, as signs that alternate have, square roots of powers with a
/// half or a quarter, and a sum of two squares of the square of a complex number's size. What the library does takes a
/// loop, or two hundred instructions.
std::unique_ptr<mlir::Pass> createSimplePowers();

} // namespace cufort::codegen
