// The MLIR context that every stage works in.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace cufort::codegen {

/// Registers and loads into `context` all dialects and translations that front end and code generation use.
void loadDialects(mlir::MLIRContext &context);

} // namespace cufort::codegen
