// Kernels whose threads mostly wait for memory.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

namespace cufort::codegen {

/// True for a CUF kernel.
bool isOfLoops(const llvm::Function &kernel);

/// True if the source says how many blocks of `kernel` are to run at a time: ptxas then knows.
bool isBounded(const llvm::Function &kernel);

/// The warps of a block of `kernel` where the source launches it, or of a usual one.
unsigned warpsOfBlock(const llvm::Function &kernel);

struct KernelShape {
  unsigned warps = 0; ///< of a block
  bool hasLoops = false;
};

/// Returns the names of the kernels of `module` whose registers ptxas is to choose with regard to their blocks.
llvm::StringMap<KernelShape> kernelsWithChoice(llvm::Module &module);

/// Returns the names of the kernels of `module`, which is optimised, that load from arrays in their innermost loops, do
/// little but access memory in loops, or have no loops and do not calculate much with what they load. More blocks on a
/// multiprocessor let them wait less; kernels that calculate lose by what the fewer registers cost.
llvm::StringMap<KernelShape> kernelsThatWaitForMemory(llvm::Module &module);

/// Returns the names of the CUF kernels of `module`.
llvm::StringMap<KernelShape> kernelsOfLoops(llvm::Module &module);

} // namespace cufort::codegen
