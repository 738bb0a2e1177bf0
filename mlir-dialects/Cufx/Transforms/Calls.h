// What passes ask of calls.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {

/// The symbol that `call` calls; empty if it calls through a pointer.
llvm::StringRef calleeName(fir::CallOp call);

/// The procedure that `call` calls, if this source defines it.
mlir::func::FuncOp definedCallee(fir::CallOp call);

/// True for functions of Flang's runtime that do nothing with their arguments but read them, and store a result.
bool onlyReadsArguments(llvm::StringRef callee);

/// What `argument` was before it was converted to the type that a routine of the Fortran runtime takes.
mlir::Value beforeConversion(mlir::Value argument);

/// Makes stores of the operations that save an array or a derived type which `call` returns: those go with calls only,
/// and any other value can take the place of what is stored.
void storeSavedResults(fir::CallOp call);

} // namespace cufort::cufx
