// Kernels without the versions that hardly ever run.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace llvm {
class BranchInst;
} // namespace llvm

namespace cufort::codegen {

/// How many registers more a version needs that hardly ever runs.
enum class UnlikelyNeed { AFew, Many };

/// Notes that `decision`, the branch between two versions of a kernel, usually goes to its first successor, and that
/// the other version is likely to need more registers.
void markDecision(llvm::BranchInst &decision, UnlikelyNeed need);

struct KernelWithVersions {
  unsigned warps = 0; ///< of a block where the source launches the kernel
  UnlikelyNeed need = UnlikelyNeed::AFew;
};

/// The kernels of `module` with such decisions. Without those of which the source says how many blocks are to run at a
/// time.
llvm::StringMap<KernelWithVersions> kernelsWithVersions(const llvm::Module &module);

/// A copy of `module` without other kernels than `kernels`, in which these decisions are made as they usually are.
std::unique_ptr<llvm::Module> likelyCode(const llvm::Module &module, const llvm::StringSet<> &kernels);

} // namespace cufort::codegen
