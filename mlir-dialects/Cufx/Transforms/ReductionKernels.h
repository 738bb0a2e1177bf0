// Kernels that reduce arrays of the device to one number or truth value.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"

namespace cufort::cufx {

/// What a kernel does for an operation: the clause, and the arithmetic.
struct Combination {
  fir::ReduceOperationEnum clause;
  ReductionKind kind;
};

/// A reduction to one number or truth value: of `array`, where `mask` is true if there is one, or of its product with
/// `factor`.
struct Reduction {
  const Combination *combination = nullptr;
  mlir::Value array, mask, factor;

  llvm::SmallVector<mlir::Value> operands() const;
};

/// The reduction that `op` asks for; one without a combination if no kernel does it.
Reduction matchReduction(mlir::Operation *op);

/// An array that the reduction reads and that may be bound to a stream: of the device, or else managed; or null.
mlir::Value streamArrayOf(const Reduction &reduction);

/// True if device code can evaluate all that the reduction reads.
bool isDeviceReduction(const Reduction &reduction);

/// True if that is so, and the host cannot read some array of it.
bool canReduceByKernel(const Reduction &reduction);

/// Builds the kernel for one reduction, at the insertion point of `builder`.
class ReductionKernel {
public:
  ReductionKernel(fir::FirOpBuilder &builder, mlir::Operation *op, const Reduction &reduction,
                  std::shared_ptr<ArraysInKernel> arrays = std::make_shared<ArraysInKernel>());

  /// The value of the reduction, on the host.
  mlir::Value build();

  /// The value of the reduction, from a kernel if there are at least `many` elements, else from `onHost`.
  mlir::Value buildForMany(int64_t many, llvm::function_ref<mlir::Value(fir::FirOpBuilder &)> onHost);

  /// The value of the reduction in device memory, without waiting for it.
  mlir::Value buildInto(mlir::Value scalar);

  /// The values of several reductions, on the host: from one kernel, where the arrays have the same shape and no
  /// variable has a stream, else from one for each. All have been made with the same builder and arrays.
  static llvm::SmallVector<mlir::Value> buildTogether(llvm::MutableArrayRef<std::unique_ptr<ReductionKernel>> kernels);

private:
  mlir::Value createResult();
  mlir::Value valueOf(mlir::Value result);
  mlir::Value valueAtStart();
  void reduceInto(mlir::Value result, mlir::Value unselected);
  void combineInto(mlir::Value result, const Combination &combination,
                   llvm::function_ref<mlir::Value(mlir::ValueRange)> contribute);
  void combineElement(mlir::Value result, ReductionKind combining, mlir::Value contributed);
  mlir::Value contribution(mlir::ValueRange subscripts, mlir::Value unselected);
  mlir::Value neutral();
  mlir::Value orValueForNone(mlir::Value value);
  mlir::Value selectsAny();
  mlir::Value elements();
  mlir::Value isEmpty();
  static mlir::Value canBeTogether(llvm::ArrayRef<std::unique_ptr<ReductionKernel>> kernels);

  fir::FirOpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  ReductionKind kind;
  fir::ReduceOperationEnum clause;
  mlir::Value source;
  DeviceExpression array;
  std::optional<DeviceExpression> mask, factor;
};

} // namespace cufort::cufx
