// Memory of the stack that a loop takes in each of its rounds.
#pragma once

namespace llvm {
class Module;
}

namespace cufort::codegen {

/// Lets each round of a loop give back what it takes from the stack for temporary variables whose size is not known.
/// Flang does so for arrays, and not for strings such as trim(a) // b. A thread of a device has little stack.
void reclaimStack(llvm::Module &module);

} // namespace cufort::codegen
