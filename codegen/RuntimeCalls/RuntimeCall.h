// Calls of libcufort_rt's entry points (runtime/ABI/RuntimeABI.h).
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/Runtime/RTBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::codegen {

/// Calls `function` with `arguments`, each converted to its parameter's type. If the function has two parameters more,
/// they receive the source file and line of `loc`. Returns the result; null if there is none.
mlir::Value callRuntime(fir::FirOpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function,
                        llvm::SmallVector<mlir::Value> arguments);

/// The address of a variable that holds `descriptor`, a value: the runtime takes descriptors by their addresses.
mlir::Value descriptorAddress(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value descriptor);

/// The address of a constant with `characters` and a NUL.
mlir::Value runtimeText(fir::FirOpBuilder &builder, mlir::Location loc, llvm::StringRef characters);

/// An integer(8) argument.
inline mlir::Value runtimeConstant(fir::FirOpBuilder &builder, mlir::Location loc, int64_t value) {
  return builder.createIntegerConstant(loc, builder.getI64Type(), value);
}

} // namespace cufort::codegen
