// Powers that need no library function.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Makes bits of integer powers of 2 and of powers of -1, as signs that alternate have, square roots of powers with a
/// half or a quarter, a sum of two squares of the square of a complex number's size, and products of powers with other
/// integer constants. What the library does takes a loop, or two hundred instructions, and a call in a loop keeps others
/// from seeing what the loop does.
std::unique_ptr<mlir::Pass> createSimplePowers();

} // namespace cufort::codegen
