// Arithmetic of subscripts in the width of addresses.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// Computes sums and differences that become subscripts in 64 bits: sext(i + 1) becomes sext(i) + 1, which Fortran allows
/// because i + 1 does not overflow. The constant then is part of the address of an instruction, and neighbours in an
/// array share one address.
std::unique_ptr<mlir::Pass> createWidenSubscripts();

} // namespace cufort::codegen
