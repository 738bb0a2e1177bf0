// What the main program begins with.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// If the main program is in `host`, the host part of one source, it begins by enabling the traps of floatTraps, and
/// with deviceReadsHost by asking whether the device can.
void prepareMainProgram(llvm::Module &host, const CodegenOptions &options);

} // namespace cufort::codegen
