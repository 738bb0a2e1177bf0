// The inside of a child process that runs compiler code.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cufort::driver {

struct ProgressPage;

struct SandboxOptions {
  unsigned timeLimit = 0;    ///< seconds of processor time; 0: none
  bool traceCrashes = false; ///< print the stack and LLVM's text on a crash
};

/// Runs `body` and ends the process. The result, or the signal or fatal error that prevented one, is in `page`.
[[noreturn]] void runInSandbox(llvm::function_ref<int()> body, ProgressPage &page, const SandboxOptions &options);

} // namespace cufort::driver
