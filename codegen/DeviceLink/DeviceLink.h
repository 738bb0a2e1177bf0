// The device link: all device code of a program becomes one image object.
#pragma once

#include "codegen/DeviceLink/GpuImages.h"
#include "codegen/Host/DeviceSection.h"
#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// What a device link makes.
struct LinkedDeviceCode {
  llvm::SmallVector<char, 0> object; ///< the image object
  std::vector<GpuImage> images;      ///< what the fat binary in it holds
  std::string warning;               ///< why code for GPUs was left out; empty if it was not
};

/// Returns the image object of `bitcode`: the fat binary, the code for the emulated device, and a constructor that
/// registers both together with the entries in section `entrySection`. Uses up `bitcode`. Code for GPUs is left out,
/// with a warning, if it calls libdevice and the machine has none.
llvm::Expected<LinkedDeviceCode> linkDeviceCode(CollectedBitcode bitcode, const CodegenOptions &options,
                                                llvm::StringRef entrySection);

/// Adds the image of `bitcode` to `host`, the host part of the one source that `bitcode` is of: an object that needs no
/// device link. Fills in all of `result` except the object. Error: device code that other files define, besides those
/// of linkDeviceCode.
llvm::Error addDeviceCode(llvm::Module &host, CollectedBitcode bitcode, const CodegenOptions &options,
                          llvm::StringRef entrySection, LinkedDeviceCode &result);

/// Returns the modules of `buffers` as one. Error: bitcode that cannot be read, or one symbol defined twice.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkBitcode(llvm::LLVMContext &context, const std::vector<std::unique_ptr<llvm::MemoryBuffer>> &buffers);

} // namespace cufort::codegen
