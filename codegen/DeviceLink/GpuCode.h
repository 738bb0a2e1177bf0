// PTX of a program's device code.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cufort::codegen {

struct GpuCode {
  std::string ptx;
  llvm::StringMap<unsigned> waiting;  ///< see kernelsThatWaitForMemory; none below -O3
  llvm::StringMap<unsigned> versions; ///< see kernelsWithVersions; none below -O3
  std::string likely;                 ///< the PTX with their likely versions alone
};

/// Returns the PTX of `module` (linked device code, not yet optimised, left unchanged) for `target`.
llvm::Expected<GpuCode> generatePTX(const llvm::Module &module, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
