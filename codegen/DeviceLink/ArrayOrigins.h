// Elements of allocatable arrays of modules.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class ConstantStruct;
class GlobalVariable;
} // namespace llvm

namespace cufort::codegen {

/// Makes the memory of the descriptor of an allocatable array of a module, in constant memory, longer by the array's
/// origin: runtime/ABI/ArrayOrigin.h. Returns the variable, which takes the place of `descriptor`.
llvm::GlobalVariable *appendOrigin(llvm::GlobalVariable &descriptor);

/// The descriptor that `variable`, longer or not, begins with: its initial value. Null if that is none.
const llvm::ConstantStruct *initialDescriptor(const llvm::GlobalVariable &variable);

/// True if `variable` ends with an origin.
bool hasOrigin(const llvm::GlobalVariable &variable);

/// Where the origin of such a variable is, in bytes.
uint64_t placeOfOrigin(const llvm::GlobalVariable &variable);

/// Bytes of an element of such a variable's array; 0 if they are not known.
uint64_t elementBytes(const llvm::GlobalVariable &variable);

/// Lets elements be found from the origins of their arrays, and strides in bytes. For local variables that SROA has
/// taken apart.
struct ArrayOrigins : llvm::PassInfoMixin<ArrayOrigins> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace cufort::codegen
