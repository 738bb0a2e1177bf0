// What machine code of kernels consists of.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <array>

namespace cufort::codegen {

struct KernelInstructions {
  unsigned count = 0;
  /// Places where the kernel waits for something that it has loaded from global memory. Loads that are issued one after
  /// another are waited for once: threads that wait at fewer places have more loads under way.
  unsigned waits = 0;
  /// How often the kernel waits for loads that it has issued since it waited last.
  unsigned trips = 0;
  /// Accesses to what a thread has put aside in memory, for each instruction of the outermost loop that has most of
  /// them, among those that load from global memory.
  double asideInLoops = 0;
  /// The share of the loads from global memory in that loop which have another one in the same line of the cache.
  double sharedLines = 0;
  /// Instructions that add, multiply, and do both, of real(4) and of real(8). ptxas makes one of two where it likes.
  std::array<unsigned, 6> realOperations = {};
};

/// Returns what the kernels in `code`, a cubin, consist of, by their names; nothing if it is none. Instructions are
/// those of compute capability 7.0 and later, which have 16 bytes and tell in their upper half what they wait for.
llvm::StringMap<KernelInstructions> readInstructions(llvm::StringRef code);

} // namespace cufort::codegen
