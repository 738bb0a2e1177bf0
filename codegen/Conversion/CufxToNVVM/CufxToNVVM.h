// Lowering of cufx device operations for a GPU.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds patterns that turn cufx device operations into NVVM.
void populateCufxToNVVMPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
