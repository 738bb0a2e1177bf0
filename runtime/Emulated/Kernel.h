// A kernel as the emulated device knows it: what a CUfunction points at.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Emulated/SourceLines.h"
#include <cstdint>
#include <string>

namespace cufort::rt::emulated {

/// Addresses of machine code: begin <= address < end.
struct CodeRange {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t address) const { return address >= begin && address < end; }
};

/// Returns the code of the executable or shared library that `function` is in; an empty range if it is in none.
CodeRange codeAround(const void *function);

struct Kernel {
  const CufortEmuKernel *code = nullptr;
  std::string name;           ///< for messages: the Fortran name if known
  SourceLines lines;          ///< of its code and of what that calls
  CodeRange objectCode;       ///< of the object that holds it: device threads are only pre-empted in there
  int maxDynamicShared = 0;   ///< bytes that a launch may ask for
  bool largeClusters = false; ///< clusters of more blocks than every device with clusters can run
  int sharedCarveout = -1;    ///< stored and given back, without effect
};

} // namespace cufort::rt::emulated
