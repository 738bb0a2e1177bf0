// What kernels need of a multiprocessor, for -Minfo=accel.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace cufort::codegen {

/// Writes a line for each kernel that `log`, the text of `ptxas -v`, tells of: registers, shared memory, and what does
/// not fit into registers. `target` is named in the line, as in "sm_90".
void reportResources(llvm::StringRef log, llvm::StringRef target, llvm::raw_ostream &out);

} // namespace cufort::codegen
