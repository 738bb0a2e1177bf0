// The part of lowering cufx device operations that both targets share.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Adds patterns for the operations that LLVM IR itself expresses: atomics, shared storage, grid reductions.
void populateCufxToLLVMPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
