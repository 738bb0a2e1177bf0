// Internal procedures as arguments and targets of pointers.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Lets the runtime make the addresses of the internal procedures in `host` that use variables of their hosts. LLVM
/// would write code for them to the stack, which is not executable.
void makeTrampolinesByRuntime(llvm::Module &host);

} // namespace cufort::codegen
