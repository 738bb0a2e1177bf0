// The passes of the cufx dialect. What each does: Passes.td. Which order: codegen/Pipelines.
#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
}

namespace cufort::cufx {

#define GEN_PASS_DECL
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"

/// Name of the gpu.module that holds the device code of a source.
inline constexpr llvm::StringLiteral deviceModuleName = "device";

} // namespace cufort::cufx
