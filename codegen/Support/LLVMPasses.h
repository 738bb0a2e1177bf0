// Running LLVM over a module.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace cufort::codegen {

/// Optimises `module` for `machine` at level 0 to 3. `extend` may add passes to LLVM's.
void optimiseModule(llvm::Module &module, llvm::TargetMachine &machine, unsigned level, bool vectorize = true,
                    bool unroll = true, llvm::function_ref<void(llvm::PassBuilder &)> extend = nullptr);

/// Promotes the variables of `function` to values where possible, and removes what is redundant, without loops being
/// changed.
void simplifyFunction(llvm::Function &function);

/// Inlines the functions of `module` that are marked alwaysinline, and removes those that nothing uses then.
void inlineMarkedFunctions(llvm::Module &module);

/// Returns what `machine` generates for `module`: an object or assembly text. `module` is used up.
llvm::Expected<llvm::SmallVector<char, 0>> emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                                                      llvm::CodeGenFileType type);

} // namespace cufort::codegen
