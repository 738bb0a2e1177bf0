// The part of an image object that the runtime reads.
#pragma once

#include "codegen/DeviceLink/EmulatedModule.h"

namespace cufort::codegen {

/// Adds to `module` the CufortImage with `flags` (CufortImageFlags) for `fatBinary`, the emulated `kernels` and the device variables that `module`
/// defines, with a constructor that registers it and a destructor that unregisters it.
void addImage(llvm::Module &module, llvm::StringRef fatBinary, uint32_t flags,
              const std::vector<EmulatedKernel> &kernels, llvm::StringRef entrySection);

} // namespace cufort::codegen
