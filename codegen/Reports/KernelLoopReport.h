// What became of the CUF kernels of a source, for -Minfo=accel.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace cufort::codegen {

/// Writes for each procedure of `module`, which has its CUF kernels as cufx.kernel_loops, which kernels were made:
/// line, grid and block, what each loop runs over, reductions, and variables of which each thread has its own.
void reportKernelLoops(mlir::ModuleOp module, llvm::raw_ostream &out);

} // namespace cufort::codegen
