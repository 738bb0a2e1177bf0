// Which statement of the program a thread is at, for traces (NVCOMPILER_ACC_NOTIFY). Nothing is kept unless a trace is
// asked for.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Support/Environment.h"

namespace cufort::rt {

/// A statement, as far as it is known: what is not is null or 0. All strings live forever.
struct Statement {
  const char *file;
  int line;
  const char *target;        ///< the variable that a transfer writes
  const char *source;        ///< and the one that it reads
  const CufortEntry *kernel; ///< what a call statement launches
  bool isNoted;              ///< by cufortNoteStatement, for the entry of the runtime that is called next
};

/// True if the user wants a trace of anything.
inline bool isTracing() { return environment().notify != 0; }

/// The statement that the calling thread is at.
const Statement &currentStatement();

/// Lets the calling thread be at file:line as long as the object lives. The variables that have been noted for the
/// statement stay.
class StatementScope {
public:
  StatementScope(const char *file, int line, const CufortEntry *kernel = nullptr) : entered(isTracing()) {
    if (entered)
      enter(file, line, kernel);
  }
  ~StatementScope() {
    if (entered)
      leave();
  }
  StatementScope(const StatementScope &) = delete;
  StatementScope &operator=(const StatementScope &) = delete;

private:
  void enter(const char *file, int line, const CufortEntry *kernel);
  void leave();

  bool entered;
  Statement outer;
};

/// Ends the statement that cufortNoteStatement began: the routine of the program that it was noted for is done.
void endNotedStatement();

} // namespace cufort::rt
