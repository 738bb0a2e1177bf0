// What options say of all procedures of the host.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Lets the functions that `host`, the host part of one source, defines keep a frame pointer if `options` ask for it,
/// and not be inlined if they say so.
void prepareHostFunctions(llvm::Module &host, const CodegenOptions &options);

} // namespace cufort::codegen
