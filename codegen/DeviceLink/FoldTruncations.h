// Numbers that are made narrower and wider again.
#pragma once

#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Folds sext(trunc nsw x) and zext(trunc nuw x) to x. LLVM does so too late: it moves truncations into sums, where their
/// flags are lost. In code whose variables are promoted, before it is optimised.
void foldTruncations(llvm::Module &module);

} // namespace cufort::codegen
