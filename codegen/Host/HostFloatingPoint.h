// How host code calculates: -Mfprelaxed and -Ktrap.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Applies `options` to `host`, the host part of one source. With relaxedMath real divisions and square roots may be
/// approximated by reciprocals; with floatTraps the main program, if it is in `host`, begins by enabling the traps.
void applyHostFloatingPoint(llvm::Module &host, const CodegenOptions &options);

} // namespace cufort::codegen
