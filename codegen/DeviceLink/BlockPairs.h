// Kernels whose blocks do what two blocks of the grid do.
#pragma once

#include "llvm/IR/Function.h"
#include <optional>

namespace cufort::codegen {

/// A kernel that does the same as another one, in half as many blocks.
struct PairsOfBlocks {
  llvm::Function *function; ///< with one parameter more, the 32 bits of the extent of the other's grid on the axis
  unsigned axis;            ///< on which two neighbours are one block
};

/// Returns such a kernel for `kernel`, which is optimised, if its threads load from memory what depends on their block
/// and all go the same way, but for those that have nothing to do. It is behind `kernel` in the module.
std::optional<PairsOfBlocks> createPairsOfBlocks(llvm::Function &kernel);

} // namespace cufort::codegen
