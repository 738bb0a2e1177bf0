// Variables of the emulated device between addresses that fault.
#pragma once

#include "llvm/IR/GlobalVariable.h"

namespace cufort::codegen {

/// What a device variable has become.
struct GuardedVariable {
  llvm::Constant *address; ///< of the variable
  uint64_t bytes;          ///< of the variable
  uint64_t guardBytes;     ///< behind the end of its last page; the runtime makes accesses to them fault
};

/// Replaces `variable` by one that ends close to the end of a page, with an unused page behind it. A constant stays as
/// it is. `variable` must not be used afterwards.
GuardedVariable guardVariable(llvm::GlobalVariable &variable);

} // namespace cufort::codegen
