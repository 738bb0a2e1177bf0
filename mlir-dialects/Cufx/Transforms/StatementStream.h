// In which stream the kernels of a host statement run that has an expression of device arrays.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"

namespace cufort::cufx {

/// From its creation to `end`, host code runs kernels and transfers without a stream in that of the variable `target`
/// (cudaforSetDefaultStream), if it has one, else in that of the variable `source`, which may be null. Without such
/// variables at that place, nothing changes.
class StatementStream {
public:
  StatementStream(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value target, mlir::Value source = {});

  /// `builder` is in the block in which the statement began, behind its operations.
  void end(fir::FirOpBuilder &builder);

private:
  mlir::Location loc;
  mlir::Value before; ///< the thread's default stream
};

} // namespace cufort::cufx
