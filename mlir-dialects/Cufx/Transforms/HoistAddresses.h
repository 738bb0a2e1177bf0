// Addresses of array elements in CUF kernels, as far as the host can compute them.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"

namespace cufort::cufx {

/// Where an array of device memory would have its element with all subscripts 0: what the kernel is given instead of a
/// descriptor or extents.
struct ArrayOrigin {
  mlir::Value address;
  bool hasOtherNames; ///< of the array's memory: it has other names, or may have
};

/// Lets the elements of arrays whose bounds are the same in all iterations of `loops` have the addresses
///
///   origin + i * bytes + j * row + k * plane
///
/// of which the host computes all but the subscripts. Returns the origins, which the body uses from then on.
llvm::SmallVector<ArrayOrigin> hoistAddresses(KernelLoopsOp loops);

} // namespace cufort::cufx
