#pragma once

#include "flang/Semantics/semantics.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::frontend {

/// Gives the constants in `module` that belong to modules of other files the values that the module files have, as far
/// as device code can use them, and the attribute ofOtherFileAttribute.
void bringModuleConstants(Fortran::semantics::SemanticsContext &context, mlir::ModuleOp module);

} // namespace cufort::frontend
