// The shape of the blocks that a source launches its kernels with.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Of a kernel: the extents of its blocks in x, y and z, an array of three 32-bit integers. Launches that the compiler
/// does not see may have others.
constexpr llvm::StringLiteral blockShapeAttribute = "cufx.block_shape";

/// Of a kernel with that attribute: the shape is what the compiler chose for rows of any length, and blocks for short ones
/// have others.
constexpr llvm::StringLiteral usualBlockAttribute = "cufx.usual_block";

/// Of cufx.kernel_loops whose blocks are shaped when the program runs, and of the operations that do it.
constexpr llvm::StringLiteral fittedBlockAttribute = "cufx.fitted_block";

/// Gives the kernels that `module` launches with blocks of one constant shape that attribute. Variables count as
/// constants if all that is assigned to them in the procedure is one.
void noteBlockShapes(mlir::ModuleOp module);

} // namespace cufort::cufx
