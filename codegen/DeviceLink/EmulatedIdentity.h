// Who a thread of the emulated device is, in generated code.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace cufort::codegen {

/// The parts of a thread's identity, in the order of the parameters of a kernel body: threadIdx, blockIdx, blockDim,
/// gridDim and clusterDim with three components each, then the addresses of static and dynamic shared memory, then, for
/// each axis, how many threads' share of a CUF kernel's loop it does: 1, or more if it stands for several threads.
enum IdentityPart : unsigned {
  IdentityThreadIdx = 0,
  IdentityBlockIdx = 3,
  IdentityBlockDim = 6,
  IdentityGridDim = 9,
  IdentityClusterDim = 12,
  IdentitySharedBase = 15,
  IdentityDynamicShared = 16,
  IdentitySpan = 17,
  IdentityCount = 20
};

/// The types of all parts.
llvm::SmallVector<llvm::Type *> identityTypes(llvm::LLVMContext &context);

/// The CufortEmuThread of the running thread, read from cufortEmuThread.
llvm::Value *loadCurrentThread(llvm::IRBuilder<> &builder);

/// One part, read from a CufortEmuThread.
llvm::Value *loadIdentityField(llvm::IRBuilder<> &builder, llvm::Value *thread, unsigned part);

/// All parts, read from a CufortEmuThread.
llvm::SmallVector<llvm::Value *> loadIdentity(llvm::IRBuilder<> &builder, llvm::Value *thread);

/// Replaces the calls in `function` that stand for a component of a predefined variable by what `replacement` gives
/// for its part. Returns true if there were any.
bool replaceIdentityReads(llvm::Function &function,
                          llvm::function_ref<llvm::Value *(unsigned part, llvm::IRBuilder<> &)> replacement);

/// Returns the calls in `function` that end the kernel and say which thread did it.
llvm::SmallVector<llvm::CallInst *> trapsOf(llvm::Function &function);

/// Stores who the running thread is where cufortEmuTrap looks for it, before each trap of a kernel body. `identity` has
/// the index of the thread and of its block first. Compiled loops over threads would not say it otherwise.
void storeIdentityBeforeTraps(llvm::Function &body, llvm::ArrayRef<llvm::Value *> identity);

/// Stores the index of the thread and of its block, the first parts of `identity`, in the CufortEmuThread `thread`.
void storeIndices(llvm::IRBuilder<> &builder, llvm::Value *thread, llvm::ArrayRef<llvm::Value *> identity);

} // namespace cufort::codegen
