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

/// The GPU `target`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createGpuMachine(const CodegenOptions &options,
                                                                     const GpuTarget &target);

} // namespace cufort::codegen
