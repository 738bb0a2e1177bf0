// Several iterations in each thread of a CUF kernel whose grid the compiler chooses.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace cufort::cufx {

/// Of a kernel whose last parameter, an integer(4), says how many iterations a thread has in this launch: 1, which is
/// what it always is on the emulated device, or as many as roundsWorthwhile said.
inline constexpr llvm::StringLiteral roundsAttribute = "cufx.rounds";

/// How many iterations a thread should have at a time, so that its loads keep the memory busy; 1 if that would not
/// help, or if the body has more than loads, operations without effects and stores.
unsigned roundsWorthwhile(KernelLoopsOp loops);

/// Clones `body`, which is one block, once for each of `mappings`, operation by operation: what the iterations load is
/// asked for at the same time. The arguments of the block and what lies outside are mapped already; operations whose
/// result is mapped are left out.
void cloneInterleaved(mlir::OpBuilder &builder, mlir::Region &body, llvm::MutableArrayRef<mlir::IRMapping> mappings);

} // namespace cufort::cufx
