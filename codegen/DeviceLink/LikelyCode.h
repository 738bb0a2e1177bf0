// Kernels without the versions that hardly ever run.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace llvm {
class BranchInst;
} // namespace llvm

namespace cufort::codegen {

/// Notes that `decision`, the branch between two versions of a kernel, usually goes to its first successor, and that
/// the other version is likely to need more registers.
void markDecision(llvm::BranchInst &decision);

/// The kernels of `module` with such decisions, with the warps of a block where the source launches them. Without those
/// of which the source says how many blocks are to run at a time.
llvm::StringMap<unsigned> kernelsWithVersions(const llvm::Module &module);

/// A copy of `module` in which these decisions are made as they usually are.
std::unique_ptr<llvm::Module> likelyCode(const llvm::Module &module);

} // namespace cufort::codegen
