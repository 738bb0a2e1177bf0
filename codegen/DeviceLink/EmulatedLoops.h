// Loops over blocks and over the threads of a block, around generated code of the emulated device.
#pragma once

#include "codegen/DeviceLink/EmulatedIdentity.h"

namespace cufort::codegen {

/// What the functions that run whole blocks know about the block that they run.
struct EmulatedBlock {
  llvm::Value *range;                   ///< the CufortEmuBlocks
  llvm::Value *number;                  ///< i64: x fastest, from 0
  llvm::Value *identity[IdentityCount]; ///< of its threads, except for the index of the thread
  llvm::Value *thread;                  ///< the scratch CufortEmuThread
  llvm::Value *threadsX = nullptr;      ///< i32: in a row of blocks, threads of all of them in x
};

/// Loads what the CufortEmuBlocks `range` has at `offset`.
llvm::Value *loadOfRange(llvm::IRBuilder<> &builder, llvm::Type *type, llvm::Value *range, uint64_t offset);

/// Emits a loop over the blocks of the CufortEmuBlocks `range`; `emit` emits what is done for one.
/// `builder` stands behind the loop afterwards.
void createBlockLoop(llvm::IRBuilder<> &builder, llvm::Value *range,
                     llvm::function_ref<void(const EmulatedBlock &)> emit);

/// Emits a loop over boxes that the blocks of the CufortEmuBlocks `range` make up; `emit` gets the identity of a thread
/// that stands for all threads of a box.
void createBoxLoop(llvm::IRBuilder<> &builder, llvm::Value *range,
                   llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> identity)> emit);

/// Emits a loop over rows of neighbouring blocks in x that the CufortEmuBlocks `range` has. `emit` emits what is done
/// for one, as for its first block with the threads of all.
void createRowLoop(llvm::IRBuilder<> &builder, llvm::Value *range,
                   llvm::function_ref<void(const EmulatedBlock &)> emit);

/// Emits loops over the threads of `block`; `emit` gets the identity of one and its number in the block, an i64 from 0.
/// With `storeIdentity`, the scratch CufortEmuThread is kept up to date for functions that are called. `accesses` is
/// the mark of accesses that do not depend on those of other threads (ParallelThreads.h).
void createThreadLoops(llvm::IRBuilder<> &builder, const EmulatedBlock &block, bool storeIdentity,
                       llvm::MDNode *accesses,
                       llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> identity, llvm::Value *number)> emit);

/// The same for threads number `first` to `end` - 1 of `block`, which are i64.
void createThreadLoops(llvm::IRBuilder<> &builder, const EmulatedBlock &block, llvm::Value *first, llvm::Value *end,
                       bool storeIdentity, llvm::MDNode *accesses,
                       llvm::function_ref<void(llvm::ArrayRef<llvm::Value *> identity, llvm::Value *number)> emit);

/// Returns the number of threads of `block`, an i64.
llvm::Value *countThreads(llvm::IRBuilder<> &builder, const EmulatedBlock &block);

} // namespace cufort::codegen
