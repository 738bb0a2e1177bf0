// Sums of neighbouring elements of an array as one atomic operation.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Joins atomic additions, one right behind the other, to 2 or 4 neighbouring real(4) or 2 real(2) in global memory, if
/// GPUs of compute capability `arch` / 10 have an instruction for it. Addresses that are no multiple of its size keep
/// the operations. For real(4) that is PTX of version `ptxWithVectorAtomics`.
class VectorAtomics : public llvm::PassInfoMixin<VectorAtomics> {
public:
  explicit VectorAtomics(unsigned arch) : arch(arch) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  unsigned arch;
};

inline constexpr unsigned ptxWithVectorAtomics = 81;

/// True if the pass has used instructions that need it.
bool usesVectorAtomics(const llvm::Module &module);

} // namespace cufort::codegen
