// Math functions of device code.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Links into `module` what it needs of the bitcode library `path`; the library's functions become internal.
llvm::Error linkNeeded(llvm::Module &module, llvm::StringRef path);

/// The name of a function of libdevice that `module` calls and does not define, without the prefix; empty if none.
std::string functionOfLibdevice(const llvm::Module &module);

/// Links libdevice into a GPU module if the module calls it, and fixes its switches (__nvvm_reflect): flushing of
/// denormals, and whether divisions and square roots are correctly rounded.
/// Error: libdevice is needed and `options` names none.
llvm::Error linkLibdevice(llvm::Module &module, const CodegenOptions &options, unsigned arch);

} // namespace cufort::codegen
