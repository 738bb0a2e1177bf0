// Lowering of cufx device operations for the emulated device.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Prefix of the functions that stand for a component of a predefined variable, completed by its name and axis:
/// "__cufx_extent_thread_idx_x". They have no definition: the device link replaces them (codegen/DeviceLink).
inline constexpr llvm::StringLiteral extentFunctionPrefix = "__cufx_extent_";

/// Adds patterns that turn cufx device operations into calls of runtime/ABI/EmulatedABI.h.
void populateCufxToEmulatedPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
