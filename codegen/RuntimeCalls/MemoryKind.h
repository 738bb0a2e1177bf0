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

} // namespace cufort::codegen
