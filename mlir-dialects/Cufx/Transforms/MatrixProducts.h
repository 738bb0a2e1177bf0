// MATMUL of device arrays in host code.
#pragma once

#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"

namespace cufort::cufx {

/// A product of two matrices, or of a matrix and a vector, that are on the device or can be evaluated there.
class MatrixProduct {
public:
  /// The product that `expression` is, or none.
  static std::optional<MatrixProduct> match(mlir::Value expression);

  /// True if writing to `array` may change an operand.
  bool mayOverlap(mlir::Value array) const;

  /// Evaluates operands that are expressions.
  void prepare(fir::FirOpBuilder &builder);
  const llvm::SmallVector<mlir::Value> &extents() const { return resultExtents; }

  /// Lets `array` be the product.
  void multiplyInto(fir::FirOpBuilder &builder, hlfir::Entity array);

private:
  struct Operand {
    mlir::Value value;               ///< an array or an expression
    bool isTransposed = false;       ///< it is the transpose of `value`
    mlir::Value box = {};            ///< of the array, from prepare on
    hlfir::DeclareOp temporary = {}; ///< where the expression has been evaluated
  };

  static std::optional<Operand> matchOperand(mlir::Value value);
  mlir::Value prepareOperand(fir::FirOpBuilder &builder, Operand &operand, unsigned freeDimension);

  hlfir::MatmulOp matmul;
  Operand left, right;
  llvm::SmallVector<mlir::Value> resultExtents;
};

/// Evaluates the products that are operands somewhere in `expression`, into device memory that the expression then
/// reads, in the stream of the variable `target`. `expression` is kept up to date if it is a product itself.
void evaluateProductsIn(mlir::Value &expression, mlir::Value target, mlir::ModuleOp module);

} // namespace cufort::cufx
