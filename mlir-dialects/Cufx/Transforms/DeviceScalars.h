// Scalars of host code that are calculated from device memory, which a kernel can read itself.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace cufort::cufx {

/// True if the scalar `value` is read in device memory, or calculated from what is, by operations that a kernel can
/// repeat.
bool isDeviceScalar(mlir::Value value);

/// True if `memory` is a scalar in device memory that kernels can write and the host cannot.
bool isWritableDeviceScalar(mlir::Value memory);

/// The scalar value that `transfer` copies, which lowering may have given a place on the host for that; null if it
/// copies something else.
mlir::Value transferredScalar(cuf::DataTransferOp transfer);

/// Lets `transfer` copy that value itself.
void dropPlaceOfScalar(cuf::DataTransferOp transfer);

/// Adds the memory that the device scalar `value` is read from to `memory`.
void collectMemoryOfScalar(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &memory);

/// Repeats in a kernel what host code does to get device scalars.
class DeviceScalars {
public:
  /// `value` itself if it is no device scalar, and what stands for it at the insertion point of `builder` otherwise.
  mlir::Value inKernel(fir::FirOpBuilder &builder, mlir::Value value);

private:
  mlir::IRMapping repeated;
};

} // namespace cufort::cufx
