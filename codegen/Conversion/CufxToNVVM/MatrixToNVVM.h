// Lowering of a warp's matrix products for a GPU.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds patterns that turn matrix operations of cufx into NVVM's instructions for tensor cores.
void populateMatrixToNVVMPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
