// Descriptors that a CUF kernel finds through host memory.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"

namespace cufort::cufx {

/// Moves loads of descriptors that are the same in every iteration of `loops` before them: `blk(ib)%a(i)`, where `ib`
/// is no loop variable, needs the address of `a` and not the element of `blk`, which is in host or managed memory. A
/// kernel cannot change what a descriptor says. Questions whether a scalar of the host is there are asked before them, too.
void hoistDescriptors(KernelLoopsOp loops);

} // namespace cufort::cufx
