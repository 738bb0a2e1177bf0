// Addresses of arrays in kernels, split into what all threads have in common and what they do not.
#pragma once

#include "codegen/DeviceLink/HostSteps.h"
#include "llvm/IR/Function.h"

namespace cufort::codegen {

/// An address that all uses of an array of a kernel are relative to.
struct FixedAddress {
  llvm::Value *array; ///< what the kernel has had for it: a parameter, or an address in a descriptor
  unsigned step;      ///< what the host calculates instead
};

/// Lets `kernel` find elements from addresses that the host calculates: a(i + lower - 1, j) from that of a(lower - 1,
/// 0). `array` of each is that address from now on.
std::vector<FixedAddress> fixAddresses(llvm::Function &kernel, HostSteps &steps);

} // namespace cufort::codegen
