// The part of an image object that the runtime reads.
#pragma once

#include "codegen/DeviceLink/EmulatedModule.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Adds to `module` the CufortImage for `fatBinary`, the emulated `kernels` and the device variables that `module`
/// defines, with a constructor that registers it and a destructor that unregisters it. `prints`: some of the code does.
void addImage(llvm::Module &module, llvm::StringRef fatBinary, const std::vector<EmulatedKernel> &kernels,
              llvm::StringRef entrySection, bool prints);

/// Puts `fatBinary` into `object`, made of a module with one CufortImage, in the place of the one that it has: the
/// object can be made while the fat binary is.
llvm::Error replaceFatBinary(llvm::SmallVector<char, 0> &object, llvm::StringRef fatBinary);

} // namespace cufort::codegen
