// Numbers of 64 bits that 32 bits hold.
#pragma once

#include "llvm/IR/Value.h"

namespace cufort::codegen {

/// True if `wide`, of 64 bits, is computed from numbers of 32 bits alone, and so is one: no Fortran program may let an
/// expression of such numbers overflow.
bool isNarrow(llvm::Value *wide);

} // namespace cufort::codegen
