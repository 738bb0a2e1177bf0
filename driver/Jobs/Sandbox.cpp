// A crash leaves through a signal handler on a stack of its own: the front end overflows its stack on deeply nested
// source text. A stack of 1 GiB (of address space: only what is touched takes memory) moves that point far out.
//
// The large stack is one of the first thread. In other threads the C library's allocator enlarges its heaps page by
// page, with a call of the system and a page fault for each: a tenth of the time of a compilation, and more.
#include "driver/Jobs/Sandbox.h"
#include "driver/Jobs/ProgressPage.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

using namespace cufort::driver;

namespace {

constexpr size_t stackBytes = size_t(1) << 30;
constexpr size_t stackGuardBytes = 64 << 10;
constexpr size_t handlerStackBytes = 64 << 10;
constexpr int heapStep = 16 << 20;
constexpr int heapPieceLimit = 8 << 20; ///< larger pieces are not in the heap
constexpr rlim_t leastMemoryBytes = rlim_t(2) << 30;
constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU};

void onCrash(int signal) {
  activePage->signal = signal;
  _exit(128 + signal);
}

void onFatalError(void *, const char *reason, bool) {
  copyText(activePage->fatal, sizeof(activePage->fatal), reason, std::strlen(reason));
  _exit(1);
}

void handleCrashes() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : crashSignals)
    sigaction(signal, &action, nullptr);
  llvm::install_fatal_error_handler(onFatalError);
}

void limit(int resource, rlim_t soft) {
  rlimit limits;
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0)
    return;
  limits.rlim_cur = std::min(soft, limits.rlim_max);
  setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

/// A front end that runs away must not take the machine with it.
void setLimits(const SandboxOptions &options) {
  limit(RLIMIT_CORE, 0);
  if (options.timeLimit)
    limit(RLIMIT_CPU, options.timeLimit);
  rlim_t memory = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  limit(RLIMIT_DATA, std::max(memory, leastMemoryBytes));
}

struct Call {
  llvm::function_ref<int()> body;
  ProgressPage &page;
};

/// Ends the process without destructors: what the compiler has built need not be taken down.
[[noreturn]] void runAndExit(const Call &call) {
  call.page.status = call.body();
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  call.page.completed = 1;
  _exit(0);
}

/// What runs on the large stack: makecontext passes no addresses on.
const Call *callOnLargeStack;

void startOnLargeStack() { runAndExit(*callOnLargeStack); }

/// Returns if there is no room for the large stack.
void runOnLargeStack(const Call &call) {
  void *memory =
      mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  static ucontext_t context;
  if (memory == MAP_FAILED || mprotect(memory, stackGuardBytes, PROT_NONE) != 0 || getcontext(&context) != 0)
    return;
  context.uc_stack = {memory, 0, stackBytes};
  context.uc_link = nullptr;
  callOnLargeStack = &call;
  makecontext(&context, startOnLargeStack, 0);
  setcontext(&context);
}

/// Overflows are handled on a stack of their own.
void useHandlerStack() {
  static char handlerStack[handlerStackBytes];
  stack_t stack = {handlerStack, 0, sizeof(handlerStack)};
  sigaltstack(&stack, nullptr);
}

/// Lets the heap grow in large steps, and keep what it has: nothing else needs the memory before the process ends.
void enlargeHeap() {
  mallopt(M_TOP_PAD, heapStep);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, heapPieceLimit);
}

} // namespace

void cufort::driver::runInSandbox(llvm::function_ref<int()> body, ProgressPage &page, const SandboxOptions &options) {
  activePage = &page;
  setLimits(options);
  if (options.traceCrashes)
    llvm::sys::PrintStackTraceOnErrorSignal("cufort");
  else
    handleCrashes();
  useHandlerStack();
  enlargeHeap();
  Call call = {body, page};
  runOnLargeStack(call);
  runAndExit(call);
}
