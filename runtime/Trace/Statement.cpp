#include "runtime/Trace/Statement.h"

namespace cufort::rt {

namespace {
// Plain data, so that it survives until the very end of the thread.
thread_local Statement current;
} // namespace

const Statement &currentStatement() { return current; }

void StatementScope::enter(const char *file, int line, const CufortEntry *kernel) {
  outer = current.isNoted ? Statement() : current;
  current.isNoted = false;
  current.kernel = kernel;
  if (file) {
    current.file = file;
    current.line = line;
  }
}

void StatementScope::leave() { current = outer; }

void endNotedStatement() {
  if (current.isNoted)
    current = {};
}

} // namespace cufort::rt

extern "C" void cufortNoteStatement(const char *target, const char *source, const char *file, int32_t line) {
  using namespace cufort::rt;
  if (isTracing())
    current = {file, line, target, source, nullptr, true};
}
