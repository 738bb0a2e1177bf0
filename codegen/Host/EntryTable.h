// What a source tells the runtime about its kernels and device variables.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace cufort::codegen {

/// One kernel or device variable of a source. Symbols have the same name on host and device.
struct Entry {
  std::string symbol;
  std::string fortranName;
  bool isKernel = false;
  unsigned flags = 0; ///< CufortEntryFlags
};

/// The entries of the source: its kernels, and the device variables that it defines. To be called while `host` has
/// its gpu.module.
std::vector<Entry> collectEntries(mlir::ModuleOp host);

/// Puts one CufortEntry for each of `entries` into section `section` of the host module.
void emitEntries(llvm::Module &host, const std::vector<Entry> &entries, llvm::StringRef section);

/// The section in which the linker collects the entries of a program.
inline constexpr llvm::StringLiteral entrySection = "cufort_entries";

} // namespace cufort::codegen
