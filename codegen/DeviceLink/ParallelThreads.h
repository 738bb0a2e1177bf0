// What threads of a block promise to LLVM when they run in a loop.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Marks the accesses of `function`, which runs one thread from one barrier to the next, as those of a loop whose
/// rounds do not depend on each other: between barriers, no thread may rely on what another one writes. Returns the
/// mark. Accesses with an order of their own, as atomic ones, and to local variables, which a loop gives all threads
/// one copy of, are left out; a loop that has such accesses is a loop as any other.
llvm::MDNode *markAccessesOfThread(llvm::Function &function);

/// Says of the loop that `latch` ends that accesses with the mark `accesses` do not depend on each other.
void markLoopOfThreads(llvm::Instruction &latch, llvm::MDNode *accesses);

/// Makes the atomic updates of shared memory in `function` ordinary ones, after its accesses have been marked: in loops
/// over the threads of a block nobody else has access to it. `shared` are the parameters that are addresses of it.
void simplifySharedAtomics(llvm::Function &function, llvm::ArrayRef<llvm::Argument *> shared);

/// Drops what the inliner says of where the scopes of noalias arguments begin: LLVM takes it for an access to memory,
/// one that depends on others. The arguments are those of the kernel, the same for all threads. Runs before the
/// vectoriser.
struct DropScopesInLoopsOfThreads : llvm::PassInfoMixin<DropScopesInLoopsOfThreads> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
