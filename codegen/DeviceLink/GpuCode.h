// PTX of a program's device code.
#pragma once

#include "codegen/DeviceLink/LikelyCode.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace cufort::codegen {

struct GpuCode {
  std::string ptx;
  llvm::StringMap<WaitingKernel> waiting;       ///< see kernelsThatWaitForMemory; none below -O3
  llvm::StringMap<unsigned> ofLoops;            ///< see kernelsOfLoops; none below -O3
  llvm::StringMap<KernelWithVersions> versions; ///< none below -O3
  std::unique_ptr<llvm::Module> code;           ///< what the PTX was made of, if there are such kernels
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Returns the PTX of `kernels`, which have versions in `code`, with the likely ones alone.
llvm::Expected<std::string> likelyPTX(const GpuCode &code, const llvm::StringSet<> &kernels);

/// Returns the PTX of `module` (linked device code, not yet optimised, left unchanged) for `target`.
llvm::Expected<GpuCode> generatePTX(const llvm::Module &module, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
