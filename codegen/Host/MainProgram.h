// What runs before the first statement.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// If the main program is in `host`, the host part of one source, it begins by enabling the traps of floatTraps and the
/// traceback, and with deviceReadsHost by asking whether the device can.
void prepareMainProgram(llvm::Module &host, const CodegenOptions &options);

/// Lets the functions of `host` that associate pointers with device and managed variables (InitialTargets.h) run when
/// the program or the shared library is loaded.
void associateAtStart(llvm::Module &host);

} // namespace cufort::codegen
