// Limits of the registers that kernels have.
#pragma once

#include "codegen/DeviceLink/Assembly.h"
#include "codegen/DeviceLink/GpuCode.h"

namespace cufort::codegen {

/// Machine code, and the limits of registers that its kernels have.
struct Limited {
  Assembled assembled;
  RegisterLimits limits;
};

/// Returns the machine code of `code`, in which kernels have fewer registers where more blocks run for it, or more
/// where a thread then has more loads under way: as far as that pays. None has, if the options say how many there are
/// to be.
llvm::Expected<Limited> assembleWithLimits(const GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
