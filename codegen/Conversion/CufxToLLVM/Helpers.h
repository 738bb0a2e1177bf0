// Small steps that lowerings of cufx operations share.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::codegen {

/// A call of the function `name`, which is declared in `op`'s module on first use. Returns its result, or null if
/// `result` is null or void.
mlir::Value createExternalCall(mlir::OpBuilder &builder, mlir::Operation *op, llvm::StringRef name,
                               mlir::Type result, mlir::ValueRange arguments);

/// The constant `value` as i32.
mlir::Value createI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// The address of a NUL-terminated constant that holds `text`.
mlir::Value createText(mlir::OpBuilder &builder, mlir::Operation *op, llvm::StringRef text);

/// The address of "file:line" of `op`'s place in the Fortran source, or null if it has none.
mlir::Value createSourcePosition(mlir::OpBuilder &builder, mlir::Operation *op);

/// Storage in the entry block of the procedure that holds `op`, for one value of `type`.
mlir::Value createEntryAlloca(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Type type);

/// The address of a buffer that holds `values` as vprintf takes them, each at its own alignment; null if none.
mlir::Value createVprintfBuffer(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange values);

} // namespace cufort::codegen
