// Work that goes on beside this process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <sys/types.h>

namespace cufort::codegen {

/// Work in a process of its own, which begins as a copy of this one. (Neither MLIR's contexts nor LLVM's options are
/// made for several threads, and in threads the C library's allocator enlarges its heaps page by page.)
class ForkedWork {
public:
  using Result = llvm::Expected<llvm::SmallVector<char, 0>>;

  /// Begins `work`, which changes nothing of this process. The process must have no other threads. (Where no process
  /// can be made, the work is done at once and here.)
  explicit ForkedWork(llvm::function_ref<Result()> work);
  ForkedWork(ForkedWork &&other);
  /// Gives up work that was not waited for.
  ~ForkedWork();

  /// Prints what the work has to say and returns its result, when it is done; to be called once. Where the work has
  /// ended its process, by a crash or a fatal error of LLVM, this process ends in the same way.
  Result wait();

private:
  pid_t process = -1;
  int messages = -1, bytes = -1; ///< files that take what the process prints, and the result
  std::optional<Result> result;  ///< if there is no other process
};

} // namespace cufort::codegen
