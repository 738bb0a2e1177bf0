// Lowering of a warp's matrix products for the emulated device.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds patterns that turn matrix operations of cufx into calls of the device library.
void populateMatrixToEmulatedPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
