// A signal may come while anything is half done: nothing here allocates memory or uses streams, but for what the C
// library does the first time that calls are walked, which comes at the start.

#include "runtime/Support/Traceback.h"
#include "runtime/ABI/RuntimeABI.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <initializer_list>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cufort::rt {

namespace {

constexpr int mostCalls = 64;
constexpr size_t signalStackBytes = 64 << 10;
std::atomic<bool> enabled{false};

void say(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return; // nowhere to say it
}

/// Writes to `name` what the user calls the procedure with the symbol `symbol`, "module::procedure" for
/// _QMmodulePprocedure.
void nameOf(const char *symbol, char *name, size_t room) {
  if (!std::strcmp(symbol, "_QQmain") || std::strncmp(symbol, "_Q", 2)) {
    std::snprintf(name, room, "%s", std::strcmp(symbol, "_QQmain") ? symbol : "main program");
    return;
  }
  size_t used = 0;
  for (const char *c = symbol + 2; *c && used + 3 < room; ++c) {
    bool begins = *c >= 'A' && *c <= 'Z';
    if (begins && used)
      used += static_cast<size_t>(std::snprintf(name + used, room - used, "::"));
    else if (!begins)
      name[used++] = *c;
  }
  name[used] = 0;
}

/// One call: where it is, and the file that has it.
struct Call {
  const char *file = nullptr, *symbol = nullptr;
  uintptr_t address = 0; ///< as in the file
};

Call callAt(void *returnAddress) {
  // What is called last in a procedure returns behind its end.
  auto address = reinterpret_cast<uintptr_t>(returnAddress) - 1;
  Dl_info info = {};
  void *map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(address), &info, &map, RTLD_DL_LINKMAP))
    return {nullptr, nullptr, address};
  return {info.dli_fname, info.dli_sname, address - static_cast<link_map *>(map)->l_addr};
}

/// Runs addr2line for `call`, and writes what it says, the symbol and the place in two lines, to `text`. False if it
/// cannot be run or knows nothing.
bool askForLine(const Call &call, char *text, size_t room) {
  int ends[2];
  char address[32];
  std::snprintf(address, sizeof address, "0x%zx", static_cast<size_t>(call.address));
  if (!call.file || pipe(ends))
    return false;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execlp("addr2line", "addr2line", "-f", "-e", call.file[0] ? call.file : "/proc/self/exe", address, nullptr);
    _exit(1);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t got; used + 1 < room && (got = read(ends[0], text + used, room - used - 1)) > 0;)
    used += static_cast<size_t>(got);
  text[used] = 0;
  close(ends[0]);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 && used > 0;
}

/// True for functions that end programs, or are called for it. What a signal returns to has no name.
bool endsPrograms(const char *symbol) {
  if (!std::strcmp(symbol, "?"))
    return true;
  for (const char *start : {"_ZN6cufort", "_ZN7Fortran", "_ZNK7Fortran", "_Fortran", "cufort", "abort", "raise",
                            "gsignal", "pthread_kill", "__"})
    if (!std::strncmp(symbol, start, std::strlen(start)))
      return true;
  return false;
}

/// What is known of a call.
struct Description {
  char text[1024]; ///< of addr2line
  const char *symbol, *place;

  explicit Description(const Call &call) : symbol(call.symbol ? call.symbol : "?"), place(nullptr) {
    char *end = askForLine(call, text, sizeof text) ? std::strchr(text, '\n') : nullptr;
    if (!end)
      return;
    *end = 0;
    if (text[0] != '?')
      symbol = text;
    if (char *last = std::strpbrk(end + 1, " \n"))
      *last = 0;
    if (end[1] != '?')
      place = end + 1;
  }
};

void print(int number, const Call &call, const Description &description) {
  char name[256], line[1400];
  nameOf(description.symbol, name, sizeof name);
  if (description.place)
    std::snprintf(line, sizeof line, "  %2d  %s at %s\n", number, name, description.place);
  else
    std::snprintf(line, sizeof line, "  %2d  %s in %s\n", number, name, call.file ? call.file : "?");
  say(line);
}

/// The first of `calls` that does not end the program: what Fortran code calls for it calls other functions.
int firstOf(void *const *calls, int count) {
  int first = 0;
  for (int i = 0; i < count; ++i) {
    Description description(callAt(calls[i]));
    if (!std::strncmp(description.symbol, "_Q", 2))
      break;
    if (endsPrograms(description.symbol))
      first = i + 1;
  }
  return first;
}

/// Writes the calls that lead to the caller, up to the main program.
void printCalls() {
  void *calls[mostCalls];
  int count = backtrace(calls, mostCalls), first = firstOf(calls, count);
  say("cufort: the calls that led to this, the innermost first:\n");
  for (int i = first; i < count; ++i) {
    Call call = callAt(calls[i]);
    Description description(call);
    print(i - first + 1, call, description);
    if (!std::strcmp(description.symbol, "_QQmain"))
      return;
  }
}

void onSignal(int signal, siginfo_t *, void *) {
  char text[160];
  std::snprintf(text, sizeof text, "cufort: the program ends by signal %d (%s)\n", signal, sigdescr_np(signal));
  say(text);
  printCalls();
  // Another handler may have called this one.
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  raise(signal);
}

} // namespace

void printTraceback() {
  if (enabled.load(std::memory_order_relaxed))
    printCalls();
}

} // namespace cufort::rt

extern "C" void cufortEnableTraceback(void) {
  using namespace cufort::rt;
  void *first;
  backtrace(&first, 1);
  static char stack[signalStackBytes];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  // An overflow of the stack leaves no room for the handler.
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
  enabled.store(true, std::memory_order_relaxed);
}
