// Running LLVM over a module.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace cufort::codegen {

/// Marks functions that are not worth much time: their loops are neither vectorised nor unrolled, nor prepared for
/// that, and their code is generated quickly.
inline constexpr llvm::StringLiteral compileBrieflyAttribute = "cufx-compile-briefly";

/// Leaves `function` as it is in optimisation, and has its code generated quickly: it seldom runs, and would take as
/// long to compile as what does.
void compileQuickly(llvm::Function &function);

/// Leaves functions that are compiled briefly as they are from here on.
struct EndBriefFunctions : llvm::PassInfoMixin<EndBriefFunctions> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// What optimiseModule() leaves out.
struct Optimisation {
  unsigned level = 0; ///< 0 to 3
  bool vectorize = true;
  bool unroll = true;
  bool callsRemain = true; ///< procedures tell something about each other: not all of them are inlined
  /// What all rounds of a loop that is unrolled fully may cost together; 0: what LLVM finds right.
  unsigned largestFullUnroll = 0;
};

/// Optimises `module` for `machine`. `extend` may add passes to LLVM's.
void optimiseModule(llvm::Module &module, llvm::TargetMachine &machine, const Optimisation &optimisation,
                    llvm::function_ref<void(llvm::PassBuilder &)> extend = nullptr);

/// Promotes the variables of `function` to values where possible, and removes what is redundant, without loops being
/// changed.
void simplifyFunction(llvm::Function &function);

/// Lets `function` compute once what it computes several times, also where several paths meet that compute the same.
void joinEqualValues(llvm::Function &function);

/// Simplifies what `function` computes; its blocks stay.
void simplifyArithmetic(llvm::Function &function);

/// Runs `passes`, which do not depend on a target, on every function of `module`.
void runOnFunctions(llvm::Module &module, llvm::FunctionPassManager passes);

/// Inlines the functions of `module` that are marked alwaysinline, and removes those that nothing uses then.
void inlineMarkedFunctions(llvm::Module &module);

/// Removes what nothing in `module` uses and nothing outside it can.
void removeUnused(llvm::Module &module);

/// Of functions of GPU code: loads in loops that could be done before them stay there, also in the other functions of
/// the module.
inline constexpr llvm::StringLiteral keptLoadsFunctionAttribute = "cufort-kept-loads";

/// What a back end does beside what it has to.
struct BackEnd {
  bool reduceStrength = true; ///< else the addresses in loops are computed as they stand in the module
  bool sink = true;           ///< moves instructions behind branches, to where they are needed
};

/// Returns what `machine` generates for `module`: an object or assembly text. `module` is used up.
llvm::Expected<llvm::SmallVector<char, 0>> emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                                                      llvm::CodeGenFileType type, BackEnd does = {});

} // namespace cufort::codegen
