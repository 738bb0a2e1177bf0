#include "runtime/Stream/ErrorState.h"
#include "runtime/Support/Environment.h"
#include "runtime/Support/Traceback.h"
#include "runtime/Trace/Statement.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace cufort::rt {

namespace {

/// A failure that the program has not been told about. All of them are in one list, so that those of threads that have
/// ended are reported too.
struct Pending {
  cudaError_t code;
  std::string text;
  const char *file;
  int line;
  bool printed;
  Pending *next;
};

struct Launch {
  const char *kernel;
  const char *file;
  int line;
  int64_t stream;
};

constexpr unsigned keptLaunches = 8;

/// Plain data: it is used until the very end of a thread, and costs nothing to set up.
struct ThreadErrors {
  int last;
  Pending *pending;
  Launch launches[keptLaunches];
  unsigned launchCount;
};

thread_local ThreadErrors thisThread;

std::mutex pendingMutex;
Pending *allPending = nullptr;
std::atomic<bool> failed{false};
/// The last sticky error that the program has been told of.
std::atomic<int> toldFault{0};

void unlinkPending(Pending *pending) {
  std::lock_guard<std::mutex> lock(pendingMutex);
  for (Pending **link = &allPending; *link; link = &(*link)->next)
    if (*link == pending) {
      *link = pending->next;
      delete pending;
      return;
    }
}

void dropPending() {
  if (Pending *pending = thisThread.pending) {
    thisThread.pending = nullptr;
    unlinkPending(pending);
  }
}

void writeFailure(const char *file, int line, const std::string &text) {
  std::fflush(stdout);
  if (file && *file)
    std::fprintf(stderr, "cufort: %s:%d: %s\n", file, line, text.c_str());
  else
    std::fprintf(stderr, "cufort: %s\n", text.c_str());
}

std::string describe(const Launch &launch) {
  std::string text = "kernel '" + std::string(launch.kernel) + "'";
  if (launch.file && *launch.file)
    text += " launched at " + std::string(launch.file) + ":" + std::to_string(launch.line);
  return text;
}

bool sameLaunch(const Launch &a, const Launch &b) {
  return a.kernel == b.kernel && a.file == b.file && a.line == b.line;
}

/// True for errors that a kernel causes while it runs and that a later call finds.
bool isKernelFault(int code) { return isStickyError(code); }

std::string failureText(const std::string &what, const Result &result) {
  std::string text = what + ": " + result.message();
  if (isKernelFault(result.code()))
    if (std::string launches = launchesThatMayHaveFailed(); !launches.empty())
      text += " (" + launches + ")";
  return text;
}

void noteLastError(int code) {
  if (code != cudaSuccess && code != cudaErrorNotReady)
    thisThread.last = code;
}

void noteTold(int code) {
  if (isStickyError(code))
    toldFault.store(code);
}

} // namespace

int takeLastError() {
  int code = peekLastError();
  if (!isStickyError(code))
    thisThread.last = cudaSuccess;
  return code;
}

int peekLastError() {
  dropPending();
  noteTold(thisThread.last);
  return thisThread.last;
}

int finishCall(const Result &result) {
  endNotedStatement();
  int code = result.code();
  if (code != cudaSuccess && code != cudaErrorNotReady)
    debugLog("%s: %s", result.operation(), result.message().c_str());
  noteLastError(code);
  noteTold(code);
  if (thisThread.pending && thisThread.pending->code == code)
    dropPending();
  return code;
}

void recordPending(const Result &result, std::string what, const char *file, int line) {
  if (result.ok())
    return;
  noteLastError(result.code());
  // The first failure is the cause of what follows it.
  if (thisThread.pending)
    return;
  auto *pending = new Pending{result.code(), failureText(what, result), file, line, false, nullptr};
  std::lock_guard<std::mutex> lock(pendingMutex);
  Pending **link = &allPending;
  while (*link)
    link = &(*link)->next;
  *link = pending;
  thisThread.pending = pending;
}

void reportPending() {
  if (Pending *pending = thisThread.pending)
    failProgram(pending->file, pending->line, pending->text);
}

void requireSuccess(const Result &result, const char *what, const char *file, int line) {
  if (result.ok())
    return;
  reportPending();
  failProgram(file, line, failureText(what, result));
}

void failProgram(const char *file, int line, const std::string &text) {
  static std::atomic<pid_t> ender{0};
  pid_t nobody = 0, self = gettid();
  if (!ender.compare_exchange_strong(nobody, self)) {
    // Another thread is ending the program: let it flush the program's files. Or an exit handler has failed in turn.
    if (nobody != self)
      sleep(10);
    _exit(1);
  }
  // From here on the exit handlers know that the program has failed, and do not report what is pending.
  failed.store(true);
  writeFailure(file, line, text);
  printTraceback();
  std::exit(1);
}

void printFailure(const Result &result, const std::string &what, const char *file, int line) {
  writeFailure(file, line, failureText(what, result));
}

void printAllPending() {
  std::lock_guard<std::mutex> lock(pendingMutex);
  // Not freed: another thread may be looking at its own.
  for (Pending *pending = allPending; pending; pending = pending->next)
    if (!std::exchange(pending->printed, true)) {
      failed.store(true);
      writeFailure(pending->file, pending->line, pending->text);
    }
  thisThread.pending = nullptr;
}

bool programKnowsOf(int code) { return toldFault.load() == code; }

bool programHasFailed() { return failed.load(); }

void noteLaunch(const char *kernelName, const char *file, int line, int64_t stream) {
  Launch &slot = thisThread.launches[thisThread.launchCount++ % keptLaunches];
  slot = {kernelName, file, line, stream};
}

void noteSynchronized(int64_t stream, bool allStreams) {
  if (allStreams) {
    thisThread.launchCount = 0;
    for (Launch &launch : thisThread.launches)
      launch.kernel = nullptr;
    return;
  }
  for (Launch &launch : thisThread.launches)
    // 0 and 1 are the same stream.
    if (launch.stream == stream || (launch.stream | stream) == 1)
      launch.kernel = nullptr;
}

std::string launchesThatMayHaveFailed() {
  std::string text;
  for (unsigned i = 0; i < keptLaunches; ++i) {
    const Launch &launch = thisThread.launches[(thisThread.launchCount + i) % keptLaunches];
    bool seen = !launch.kernel;
    for (unsigned j = 0; j < i && !seen; ++j)
      seen = sameLaunch(launch, thisThread.launches[(thisThread.launchCount + j) % keptLaunches]);
    if (!seen)
      text += (text.empty() ? "" : " or ") + describe(launch);
  }
  return text;
}

void forgetFault() {
  if (thisThread.pending && isStickyError(thisThread.pending->code))
    dropPending();
  if (isStickyError(thisThread.last))
    thisThread.last = cudaSuccess;
  toldFault.store(0);
  noteSynchronized(0, /*allStreams=*/true);
}

void clearErrorState() {
  dropPending();
  toldFault.store(0);
  thisThread = {};
}

} // namespace cufort::rt
