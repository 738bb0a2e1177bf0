// Strides of arrays in CUF kernels that 32 bits hold.
#pragma once

#include "mlir-dialects/Cufx/Transforms/HoistAddresses.h"
#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {

/// Of a kernel that gets strides twice, the numbers of its parameters: first of the one that is 1 if all strides are
/// plain, then for each stride in 64 bits, of that, of the same in 32 bits, and the bytes of an element, of which plain
/// strides are multiples: "9,3:6:8,4:7:8". The stride of a first dimension is plain if it is the bytes of an element,
/// and has no second parameter: "9,5::8".
inline constexpr llvm::StringLiteral stridesAttribute = "cufx.strides";

/// The strides that a kernel gets twice.
class KernelStrides {
public:
  /// Lets the kernel have those of `addresses` that are captured in 32 bits too, and whether all are plain, if enough
  /// is multiplied by them to pay for a second version of the kernel.
  void pass(KernelLoopsOp loops, KernelCaptures &captures, const HoistedAddresses &addresses);

  void mark(mlir::func::FuncOp kernel) const;

private:
  std::string parameters;
};

} // namespace cufort::cufx
