// How device code calculates: -gpu=[no]fma, [no]flushz and fastmath.
//
// The options count where a source is compiled, code is generated when the program is linked: the functions of the
// bitcode carry what was asked for.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Records `options` in every function that `module`, the device code of one source, defines. With fastMath real(4)
/// divisions and square roots become approximate, and the functions that have a fast form become that form.
void recordFloatingPoint(llvm::Module &module, const CodegenOptions &options);

/// Returns `options` as they hold for the linked device code in `module`, before libraries are added to it. Without fma
/// in one source, only the operations that allow it in others are marked, and nothing else may be contracted.
CodegenOptions applyFloatingPoint(llvm::Module &module, const CodegenOptions &options);

} // namespace cufort::codegen
