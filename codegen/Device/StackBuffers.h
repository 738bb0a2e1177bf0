// Where there is room on the stack for buffers of a fixed size.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace cufort::codegen {

/// What device code asks whether it may use buffers on its stack: a function without arguments that returns an i1.
inline constexpr llvm::StringLiteral hasStackBuffersName = "cufortHasStackBuffers";

/// Answers the question in all functions of `module`, a whole program. A thread of a GPU has as much stack as ptxas has
/// found that the kernel needs, or as cudaLimitStackSize says if that is more. What ptxas cannot foresee, arrays of a
/// size that is not known and calls of procedures that call themselves or are called through a type, has only what the
/// functions around it leave of that limit, 1 KB without a call of cudaDeviceSetLimit: these have no buffers then.
void answerForLimitedStack(llvm::Module &module);

/// The same for a device whose stacks have room: all functions have buffers.
void answerForLargeStack(llvm::Module &module);

} // namespace cufort::codegen
