// Quotients of complex numbers in device code, and products with real ones.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds the patterns that divide complex numbers without overflow or underflow of the divisor's square, for which the
/// dividend has to be four times less than the greatest number, and that scale both parts by a real number.
void populateComplexDivisionPatterns(mlir::RewritePatternSet &patterns, mlir::PatternBenefit benefit);

} // namespace cufort::codegen
