// How accesses to memory are aligned.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Returns how `address` is aligned at least, where `alignmentOf` says it of what the address is computed from.
llvm::Align knownAlignment(const llvm::Value *address, const llvm::DataLayout &layout,
                           llvm::function_ref<llvm::Align(const llvm::Value *base)> alignmentOf);

/// Notes in loads and stores of variables of `module` how they are aligned at least, so that those of neighbours become
/// one: both parts of a complex number, above all. In optimised GPU code; LLVM does not see it of shared memory.
void noteKnownAlignments(llvm::Module &module);

} // namespace cufort::codegen
