// The kernels in the text of PTX.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace cufort::codegen {

/// A kernel in PTX, which has to live as long.
struct PtxKernel {
  llvm::StringRef name;
  llvm::StringRef head; ///< what follows the name, up to the body: parameters and directives
  llvm::StringRef body; ///< with its braces, and the end of the line before
};

/// Returns the kernels in `ptx` in their order.
std::vector<PtxKernel> kernelsIn(llvm::StringRef ptx);

} // namespace cufort::codegen
