// Lowering of cufx device operations for the emulated device.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace cufort::codegen {

/// Prefix of the functions that stand for a component of a predefined variable, completed by its name and axis:
/// "__cufx_extent_thread_idx_x". They have no definition: the device link replaces them (codegen/DeviceLink).
inline constexpr llvm::StringLiteral extentFunctionPrefix = "__cufx_extent_";

/// Prefixes of the functions i64(i64 place, i64 threads, i64 count), completed by an axis, that stand for the first of
/// the iterations of a CUF kernel's loop that a thread does, and for the number behind the last. The device link
/// replaces them, too.
inline constexpr llvm::StringLiteral shareBeginPrefix = "__cufx_share_begin_", shareEndPrefix = "__cufx_share_end_",
                                     shareStridePrefix = "__cufx_share_stride_";

/// Adds patterns that turn cufx device operations into calls of runtime/ABI/EmulatedABI.h.
void populateCufxToEmulatedPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace cufort::codegen
