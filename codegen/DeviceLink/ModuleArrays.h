// Allocatable arrays and array pointers of modules.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Moves descriptors of modules that device code only reads to constant memory, as far as there is room: there they are
/// operands of instructions. The host changes them between launches. Those of allocatable arrays get origins there.
void placeDescriptors(llvm::Module &module);

/// Lets LLVM know that allocatable arrays of modules are in global memory, and so are the targets of pointers that only
/// the host associates: it does not know what descriptors hold, and would load and store by generic addresses. A
/// descriptor that device code only reads does not change while a kernel runs: the host changes it between launches.
/// The target of a texture does not change either. Runs last: LLVM would leave out what says where an address leads.
struct ModuleArrays : llvm::PassInfoMixin<ModuleArrays> {
  /// Marks the descriptor of a texture pointer.
  static constexpr llvm::StringLiteral textureAttribute = "cufort-texture";

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
