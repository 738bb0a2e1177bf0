// Second forms of CUF kernels, in which addresses take fewer registers.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// Of a form in which AddressChains makes few variables of addresses. Its value is `leanFormDiffers` once that has had
/// an effect.
inline constexpr llvm::StringLiteral leanFormFunctionAttribute = "cufort-lean-form";
inline constexpr llvm::StringLiteral leanFormDiffers = "differs";

/// Gives CUF kernels of `module` that have loops a lean form, where `usuallyRuns` says so: each takes the time to compile
/// it. Which form is better only ptxas can tell, by the registers of both and what they wait for.
void addLeanForms(llvm::Module &module, llvm::function_ref<bool(llvm::StringRef kernel)> usuallyRuns);

/// Deletes lean forms that are the same as the usual ones. Returns true if `module` has others.
bool dropEqualForms(llvm::Module &module);

/// A copy of `module` in which each kernel has one form: the lean one, if there is one and `isLean` says so of the
/// kernel's name.
std::unique_ptr<llvm::Module> withOneForm(const llvm::Module &module,
                                          llvm::function_ref<bool(llvm::StringRef kernel)> isLean);

/// A copy of `module` with no other kernels than lean forms, under the names of the usual ones.
std::unique_ptr<llvm::Module> withLeanFormsOnly(const llvm::Module &module);

} // namespace cufort::codegen
