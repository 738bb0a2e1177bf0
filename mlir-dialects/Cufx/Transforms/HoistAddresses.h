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

/// Bytes between neighbours in a dimension of an array, where that is no constant: an index.
struct ArrayStride {
  mlir::Value bytes;
  int64_t elementBytes;
  bool isFirst;  ///< of the first dimension
  bool hasParts; ///< of complex numbers or of a derived type: elements that take several accesses, or one aligned one
};

struct HoistedAddresses {
  llvm::SmallVector<ArrayOrigin> origins;
  llvm::SmallVector<ArrayStride> strides;
  unsigned products = 0; ///< of subscripts with strides, in the body

  bool haveParts() const {
    return llvm::any_of(strides, [](const ArrayStride &stride) { return stride.hasParts; });
  }
};

/// Lets the elements of arrays whose bounds are the same in all iterations of `loops` have the addresses
///
///   origin + i * bytes + j * row + k * plane
///
/// of which the host computes all but the subscripts. Returns the origins and strides, which the body uses from then
/// on.
HoistedAddresses hoistAddresses(KernelLoopsOp loops);

} // namespace cufort::cufx
