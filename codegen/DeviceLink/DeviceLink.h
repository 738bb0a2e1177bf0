// The device link: all device code of a program becomes one image object.
#pragma once

#include "codegen/Host/DeviceSection.h"
#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Returns the image object of `bitcode`: the fat binary, the code for the emulated device, and a constructor that
/// registers both together with the entries in section `entrySection`. Uses up `bitcode`.
llvm::Expected<llvm::SmallVector<char, 0>> linkDeviceCode(CollectedBitcode bitcode, const CodegenOptions &options,
                                                          llvm::StringRef entrySection);

/// Returns the modules of `buffers` as one. Error: bitcode that cannot be read, or one symbol defined twice.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkBitcode(llvm::LLVMContext &context, const std::vector<std::unique_ptr<llvm::MemoryBuffer>> &buffers);

} // namespace cufort::codegen
