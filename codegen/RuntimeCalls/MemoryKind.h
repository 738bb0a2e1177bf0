// Numbers of memory kinds in the runtime's allocation routines.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

namespace cufort::codegen {

/// The `kind` of cufortMemAlloc for a variable with `attribute`.
inline int64_t memoryKind(cuf::DataAttribute attribute) {
  switch (attribute) {
  case cuf::DataAttribute::Managed:
    return 1;
  case cuf::DataAttribute::Unified:
    return 2;
  case cuf::DataAttribute::Pinned:
    return 3;
  default:
    return 0;
  }
}

/// The same for a temporary of a statement, in device memory.
inline constexpr int64_t temporaryMemoryKind = 4;

} // namespace cufort::codegen
