// Which memory of a GPU addresses are of.
#pragma once

#include "llvm/IR/Value.h"

namespace cufort::codegen {

inline constexpr unsigned genericSpace = 0, globalSpace = 1, sharedSpace = 3;

/// Returns `globalSpace` or `sharedSpace` if `address` is certainly of that memory, else `genericSpace`. To be asked
/// when procedures have been inlined.
unsigned spaceOfAddress(const llvm::Value *address);

} // namespace cufort::codegen
