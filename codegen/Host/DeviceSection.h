// Device bitcode inside host objects, in LLVM's own container (section .llvm.offloading).
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace cufort::codegen {

/// Device code of one source, as bitcode: one image for GPUs and one for the emulated device.
struct DeviceBitcode {
  llvm::SmallVector<char, 0> gpu;
  llvm::SmallVector<char, 0> emulated;
};

/// Embeds `bitcode` into the host module.
void embedDeviceBitcode(llvm::Module &host, const DeviceBitcode &bitcode);

/// The bitcode of all device code found in objects and archives, in order.
struct CollectedBitcode {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> gpu;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> emulated;
};

/// Adds the device code of the object or archive `path` to `collected`. A file without any adds nothing.
llvm::Error collectDeviceBitcode(llvm::StringRef path, CollectedBitcode &collected);

} // namespace cufort::codegen
