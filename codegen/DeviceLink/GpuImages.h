// What a fat binary holds.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::codegen {

/// One member of a fat binary: CufortFatMember and its bytes.
struct GpuImage {
  unsigned kind = 0; ///< CufortFatKind
  unsigned arch = 0;
  char suffix = 0;
  std::string bytes; ///< PTX with a terminating NUL, a cubin, or what it has of versions

  bool isCode() const { return kind != CufortFatVersions; }
  std::string fileSuffix() const;       ///< of code: ".cc90.ptx" or ".cc90a.cubin"
  llvm::StringRef fileContents() const; ///< the bytes as other tools read them
};

/// Returns PTX and, if there is a ptxas, machine code of `module` for every target of `options`. `module` is linked
/// device code, not yet optimised, and is left unchanged.
llvm::Expected<std::vector<GpuImage>> generateGpuImages(const llvm::Module &module, const CodegenOptions &options);

/// Packs `images`, perhaps none, into the container of runtime/ABI/RuntimeABI.h; PTX is compressed.
std::string packFatBinary(const std::vector<GpuImage> &images);

} // namespace cufort::codegen
