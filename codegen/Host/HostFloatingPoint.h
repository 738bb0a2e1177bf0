// How host code calculates: -Mfprelaxed.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Applies `options` to `host`, the host part of one source. With relaxedMath real divisions and square roots may be
/// approximated by reciprocals.
void applyHostFloatingPoint(llvm::Module &host, const CodegenOptions &options);

} // namespace cufort::codegen
