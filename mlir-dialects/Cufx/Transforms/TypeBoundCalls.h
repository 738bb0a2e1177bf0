// Calls in device code of procedures that the dynamic type of an object tells.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// What the host part `module` says of the binding `method` of the type `record`; null if it has none.
fir::DTEntryOp findBinding(mlir::ModuleOp module, fir::RecordType record, llvm::StringRef method);

/// The procedures of the derived type `record` by their bindings, those of the parent type first; empty if it has none.
llvm::SmallVector<fir::DTEntryOp> bindingsOf(mlir::ModuleOp module, llvm::StringRef record);

/// The type of which the binding of `dispatch` is known when the program is compiled; null if there is none.
fir::RecordType declaredType(fir::DispatchOp dispatch);

/// Replaces `dispatch` by a call of the procedure whose address the description of the object's type has
/// (DescribeTypes.cpp). The binding exists.
void callThroughDescription(mlir::ModuleOp module, fir::DispatchOp dispatch);

} // namespace cufort::cufx
