// What the compiler is doing, noted where the driver can read it after a crash.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::driver {

/// Notes that the compiler is now busy with `activity` ("lowering subroutine 'k'") at `file`:`line`; a line of 0 is
/// none, and an empty `file` the input. Cheap enough for every procedure and pass, callable from any thread; does
/// nothing outside a child process of the driver.
void noteProgress(llvm::StringRef activity, llvm::StringRef file = "", unsigned line = 0);

} // namespace cufort::driver
