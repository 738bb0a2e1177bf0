// ISHFTC by a distance that is not known.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Makes one funnel shift of what Flang makes of ISHFTC of whole words: shifts in both directions by distances that
/// selections choose, with masks. For code as the front end leaves it, without local variables.
struct Rotations : llvm::PassInfoMixin<Rotations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace cufort::codegen
