// Running code and programs in child processes whose end, whatever it is, is only a result.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cufort::driver {

struct ProgressPage;

/// How a child process ended.
struct ChildResult {
  bool completed = false; ///< code: it returned; program: it exited
  int status = 0;         ///< what it returned, or its exit status
  int signal = 0;         ///< the signal that ended it, or 0
  bool outOfTime = false; ///< it used up its processor time
  std::string messages;   ///< what it wrote to standard error
  std::string fatal;      ///< LLVM's fatal error message, if that ended it
  std::string activity;   ///< the last noteProgress(), empty if there was none
  std::string file;
  unsigned line = 0;
};

/// Limits and surroundings of a child.
struct ChildOptions {
  std::string workspace;     ///< TMPDIR of the child; empty: as it is
  unsigned timeLimit = 0;    ///< seconds of processor time; 0: none
  bool traceCrashes = false; ///< leave crashes to LLVM's handlers, which print the stack
};

/// A child process with a process group of its own, standard input from /dev/null and standard error collected. It is
/// killed when this object or this process ends before it.
class Child {
public:
  Child(Child &&);
  Child &operator=(Child &&);
  ~Child();

  /// Starts `body` in a copy of this process, on a large stack and with the machine's memory as limit. Its return
  /// value is the child's status.
  static llvm::Expected<Child> startBody(llvm::function_ref<int()> body, const ChildOptions &options);

  /// Starts the program `arguments[0]`, which is a full path.
  static llvm::Expected<Child> startProgram(llvm::ArrayRef<std::string> arguments, const ChildOptions &options);

  /// Returns the result if the child has ended; does not wait.
  std::optional<ChildResult> poll();

  /// Waits for the end.
  ChildResult wait();

  /// Sends `signal` to the child and all processes it has started.
  void kill(int signal);

private:
  Child() = default;
  static llvm::Expected<Child> start(llvm::function_ref<void()> inChild, ProgressPage *page,
                                     const ChildOptions &options);
  int reap();
  ChildResult takeResult(int waitStatus);
  void release();

  pid_t pid = -1;
  int messages = -1;            ///< descriptor of the collected standard error
  ProgressPage *page = nullptr; ///< shared with the child; null for a program
};

} // namespace cufort::driver
