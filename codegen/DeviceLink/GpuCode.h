// PTX and machine code of a program's device code.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cufort::codegen {

/// Returns the PTX of `module` (linked device code, not yet optimised, left unchanged) for `target`.
llvm::Expected<std::string> generatePTX(const llvm::Module &module, const CodegenOptions &options,
                                        const GpuTarget &target);

/// Returns the machine code that ptxas makes of `ptx`. ptxas's messages are in the error.
llvm::Expected<std::string> assemblePTX(llvm::StringRef ptx, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
