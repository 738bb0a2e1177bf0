// LLVM target machines of the compiler.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace cufort::codegen {

/// Makes LLVM's targets known; call once before anything else here.
void initialiseTargets();

/// The machine that host code and the emulated device run on.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine(const CodegenOptions &options);

/// The GPU `target`, with PTX of version `ptx` (81 for 8.1) if that is not older than the first that knows the GPU.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createGpuMachine(const CodegenOptions &options,
                                                                      const GpuTarget &target, unsigned ptx = 0);

} // namespace cufort::codegen
