// Quotients of complex numbers in device code.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds the pattern that divides complex numbers without overflow or underflow of the divisor's square. The
/// dividend has to be four times less than the greatest number.
void populateComplexDivisionPatterns(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

} // namespace cufort::codegen
