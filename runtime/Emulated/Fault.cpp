#include "runtime/Emulated/Fault.h"
#include "runtime/Emulated/EmulatedContext.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Sanitizers.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace cufort::rt::emulated {

static constexpr int faultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static constexpr size_t signalStackBytes = 64 << 10;

static struct sigaction previousActions[64];

/// Says what is wrong if host code has touched memory that CUFORT_CHECK=host keeps from it.
static void explainHostAccess(int signal, const siginfo_t &info) {
  if (signal != SIGSEGV || info.si_code <= 0 || !settings().checks.host ||
      !EmulatedContext::instance().memory.isHidden(info.si_addr))
    return;
  char text[160];
  int length = snprintf(text, sizeof text,
                        "cufort: host code has accessed device memory at address 0x%zx; a GPU would not let it\n",
                        reinterpret_cast<size_t>(info.si_addr));
  if (write(STDERR_FILENO, text, size_t(length)) < 0)
    return; // nowhere to say it
}

/// Does what would have happened without this library.
static void passOn(int signal, siginfo_t *info, void *context) {
  const struct sigaction &previous = previousActions[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    struct sigaction byDefault = {};
    byDefault.sa_handler = SIG_DFL;
    sigaction(signal, &byDefault, nullptr);
    if (info->si_code <= 0) // sent by somebody: returning would not repeat it
      raise(signal);
  } else {
    previous.sa_handler(signal);
  }
}

/// True if a device thread's stack is used up: it touched the guard area, or the kernel found no room for a signal.
static bool isStackOverflow(const Fiber &fiber, const void *address, const void *context) {
  auto *machine = static_cast<const ucontext_t *>(context);
  auto *stackPointer = reinterpret_cast<const char *>(machine->uc_mcontext.gregs[REG_RSP]);
  return isJustBelow(fiber.stack, address) || stackPointer < fiber.stack.low ||
         (!address && stackPointer >= fiber.stack.low && stackPointer < fiber.stack.low + (16 << 10));
}

/// Returns the place of the statement that faulted. What happens in a function of the C library or of the runtime
/// belongs to the innermost call in device code: its return address is the first on the stack that leads there.
#ifdef CUFORT_ASAN
__attribute__((no_sanitize("address")))
#endif
static SourcePlace placeOf(const SourceLines &lines, const Fiber &fiber, const ucontext_t &machine) {
  SourcePlace place = lines.find(uintptr_t(machine.uc_mcontext.gregs[REG_RIP]));
  uintptr_t stackPointer = uintptr_t(machine.uc_mcontext.gregs[REG_RSP]) & ~uintptr_t(7);
  auto *word = reinterpret_cast<const uintptr_t *>(std::max(stackPointer, uintptr_t(fiber.stack.low)));
  for (; !place.file && word < reinterpret_cast<const uintptr_t *>(fiber.stack.top); ++word)
    place = lines.find(*word - 1);
  return place;
}

// Runs on the alternate stack with no signal blocked, so that it can leave for the worker's own stack.
static void onFault(int signal, siginfo_t *info, void *context) {
  Worker *worker = Worker::active();
  const Fiber *fiber = worker ? worker->scheduler.runningFiber() : nullptr;
  bool deviceCode = fiber && (worker->mode() == Mode::Device || worker->mode() == Mode::UserMemory);
  if (!deviceCode || info->si_code <= 0) {
    explainHostAccess(signal, *info);
    passOn(signal, info, context);
    return;
  }
  worker->setMode(Mode::Runtime);
  Fault &fault = worker->fault;
  fault.signal = signal;
  fault.code = info->si_code;
  fault.knowsAddress = info->si_code != SI_KERNEL;
  fault.address = fault.knowsAddress ? info->si_addr : nullptr;
  fault.thread = *cufortEmuThread;
  fault.place = placeOf(worker->launch().kernel.lines, *fiber, *static_cast<const ucontext_t *>(context));
  fault.stackOverflow = signal != SIGFPE && signal != SIGILL && isStackOverflow(*fiber, fault.address, context);
  // No signal should be blocked here, but a sanitizer may have installed the handler in its own way.
  pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t *>(context)->uc_sigmask, nullptr);
  worker->scheduler.escape();
}

void installFaultHandlers() {
  static const bool installed = [] {
    for (int signal : faultSignals) {
      struct sigaction action = {};
      action.sa_sigaction = onFault;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(signal, &action, &previousActions[signal]);
    }
    return true;
  }();
  (void)installed;
}

namespace {
/// The alternate signal stack of one host thread; one that the thread had already is left in use.
class SignalStack {
public:
  SignalStack() {
    stack_t current;
    if (sigaltstack(nullptr, &current) == 0 && !(current.ss_flags & SS_DISABLE) && current.ss_size >= 16384)
      return;
    memory = mmap(nullptr, signalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t mine = {};
    mine.ss_sp = memory;
    mine.ss_size = signalStackBytes;
    if (memory == MAP_FAILED || sigaltstack(&mine, nullptr) != 0)
      memory = nullptr;
  }
  ~SignalStack() {
    if (!memory)
      return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, signalStackBytes);
  }

private:
  void *memory = nullptr;
};
} // namespace

void ensureSignalStack() {
  static thread_local SignalStack stack;
  (void)stack;
}

/// Returns ", at file:line", or nothing.
static std::string atPlace(const SourcePlace &place) {
  return place.file ? std::string(", at ") + place.file + ":" + std::to_string(place.line) : "";
}

std::string stackOverflowText(const CufortEmuThread &thread, size_t stackBytes, const SourcePlace &place) {
  return "a device thread used up its stack of " + std::to_string(stackBytes >> 10) + " KB" + atPlace(place) + " (" +
         placeOf(thread) + "); CUFORT_EMULATED_STACK or cudaLimitStackSize makes it larger";
}

// The system maps nothing below.
static constexpr size_t nearZero = 64 << 10;

/// Returns what is said of an address that could not be accessed.
static std::string addressText(const Launch &launch, const Fault &fault) {
  if (!fault.knowsAddress)
    return "at an address that cannot exist";
  char text[64];
  snprintf(text, sizeof text, "at address 0x%zx", reinterpret_cast<size_t>(fault.address));
  if (reinterpret_cast<size_t>(fault.address) < nearZero)
    return std::string(text) + ", as for an array that is not allocated";
  uint32_t bytes = launch.kernel.code->staticSharedBytes + launch.shape.dynamicShared;
  auto *place = static_cast<const char *>(fault.address);
  const char *sharedEnd = fault.thread.sharedBase + bytes;
  std::string known = EmulatedContext::instance().memory.describeFault(fault.address);
  if (place >= sharedEnd && place < sharedEnd + AddressSpace::guardBytes)
    known = "past the end of the " + std::to_string(bytes) +
            " bytes of shared memory that the kernel and its launch asked for";
  return known.empty() ? text : std::string(text) + ", " + known;
}

void reportFault(Launch &launch, const Fault &fault, bool exactThread) {
  std::string place = atPlace(fault.place);
  place += exactThread ? " (" + placeOf(fault.thread) + ")" : "; CUFORT_CHECK=1 names the block and thread";
  switch (fault.signal) {
  case SIGFPE:
    launch.fail(CUDA_ERROR_ILLEGAL_ADDRESS, "faulted: integer division by zero or overflow" + place);
    return;
  case SIGILL:
    launch.fail(CUDA_ERROR_LAUNCH_FAILED, "executed a trap" + place);
    return;
  }
  if (fault.stackOverflow) {
    launch.fail(CUDA_ERROR_HARDWARE_STACK_ERROR, stackOverflowText(fault.thread, launch.stackBytes, fault.place));
    return;
  }
  launch.fail(CUDA_ERROR_ILLEGAL_ADDRESS, "faulted " + addressText(launch, fault) + place);
}

} // namespace cufort::rt::emulated
