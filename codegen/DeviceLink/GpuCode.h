// PTX and machine code of a program's device code.
#pragma once

#include "codegen/Support/CodegenOptions.h"
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
  std::string bytes; ///< PTX with a terminating NUL, or a cubin

  std::string fileSuffix() const;     ///< ".cc90.ptx" or ".cc90a.cubin"
  llvm::StringRef fileContents() const; ///< the bytes as other tools read them
};

/// Returns the PTX of `module` (linked device code, not yet optimised, left unchanged) for `target`.
llvm::Expected<std::string> generatePTX(const llvm::Module &module, const CodegenOptions &options,
                                        const GpuTarget &target);

/// Returns the machine code that ptxas makes of `ptx`. ptxas's messages are in the error.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx, const CodegenOptions &options, const GpuTarget &target);

/// Returns PTX and, if there is a ptxas, machine code for every target of `options`.
llvm::Expected<std::vector<GpuImage>> generateGpuImages(const llvm::Module &module, const CodegenOptions &options);

/// Packs `images`, perhaps none, into the container of runtime/ABI/RuntimeABI.h; PTX is compressed.
std::string packFatBinary(const std::vector<GpuImage> &images);

} // namespace cufort::codegen
