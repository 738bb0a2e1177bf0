// Whole blocks of a kernel that was split into phases.
#pragma once

#include "codegen/DeviceLink/EmulatedLoops.h"
#include "codegen/DeviceLink/Phases.h"

namespace cufort::codegen {

/// Emits loops over the blocks of the CufortEmuBlocks `range`; each runs the phases one after the other, in loops over
/// the threads. Where the threads of a block go on to different phases, the runtime says which warps run which phase
/// (cufortEmuNextPhase). `arguments` are those of the kernel. `builder` stands behind the loops afterwards.
void createPhaseLoops(llvm::IRBuilder<> &builder, const Phases &phases, llvm::Value *range,
                      llvm::ArrayRef<llvm::Value *> arguments, bool storeIdentity);

/// Returns the parameters of a phase behind those of the body, for a thread that goes on alone: thread number `thread`
/// of the block that `range` stands at. What all threads shared, it has a copy of.
llvm::SmallVector<llvm::Value *> createResumeArguments(llvm::IRBuilder<> &builder, const Phases &phases,
                                                       llvm::Value *range, llvm::Value *thread, llvm::Value *shared);

} // namespace cufort::codegen
