// Math functions of device code.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Metadata of the arrays of libdevice's functions, which are in use for rare arguments only: angles of 10^5 and more.
inline constexpr llvm::StringLiteral libraryArray = "cufort.library.array";

/// Links into `module` what it needs of the bitcode library `path`; the library's functions become internal.
llvm::Error linkNeeded(llvm::Module &module, llvm::StringRef path);

/// Links into `module` what it needs of the compiler's own device libraries for `kind`, "nvptx" or "emulated". They lie
/// in the folder `directory`: procedures of the compiler's Fortran modules, and what the compiler calls itself.
llvm::Error linkDeviceLibraries(llvm::Module &module, llvm::StringRef directory, llvm::StringRef kind);

/// The name of a function of libdevice that `module` calls and does not define, without the prefix; empty if none.
std::string functionOfLibdevice(const llvm::Module &module);

/// Links libdevice into a GPU module if the module calls it, and fixes its switches (__nvvm_reflect): flushing of
/// denormals, and whether divisions and square roots are correctly rounded.
/// Error: libdevice is needed and `options` names none.
llvm::Error linkLibdevice(llvm::Module &module, const CodegenOptions &options, unsigned arch);

} // namespace cufort::codegen
