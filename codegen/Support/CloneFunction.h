// Copies of functions that have more parameters.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace cufort::codegen {

/// A copy of a function: what became of its values, and the copies of its returns.
struct ClonedFunction {
  llvm::Function *function = nullptr;
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::ReturnInst *> returns;
};

/// Sets `clone` to an internal copy of `function` named `name`, in the same module, that has the parameters `more`
/// behind its own and the result `result`: the caller replaces the returns if that is another one.
void cloneWithParameters(llvm::Function &function, llvm::ArrayRef<llvm::Type *> more, llvm::Type *result,
                         const llvm::Twine &name, ClonedFunction &clone);

} // namespace cufort::codegen
