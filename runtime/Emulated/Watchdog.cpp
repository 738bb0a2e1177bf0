#include "runtime/Emulated/Watchdog.h"
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Sanitizers.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ucontext.h>

namespace cufort::rt::emulated {

// Ignored by default, and nothing that sends it for another reason is confused by an extra one.
static constexpr int preemptSignal = SIGURG;
static constexpr auto hurriedTurn = std::chrono::microseconds(500);

static struct sigaction previousAction;

static void onPreempt(int signal, siginfo_t *info, void *context) {
  Worker *worker = Worker::active();
  if (info->si_code != SI_TKILL || !worker) {
    if (previousAction.sa_flags & SA_SIGINFO)
      previousAction.sa_sigaction(signal, info, context);
    else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN)
      previousAction.sa_handler(signal);
    return;
  }
  auto *machine = static_cast<ucontext_t *>(context);
  auto pc = uintptr_t(machine->uc_mcontext.gregs[REG_RIP]);
  if (worker->mode() != Mode::Device || !worker->launch().kernel.objectCode.contains(pc))
    return;
  int savedErrno = errno;
  worker->setMode(Mode::Runtime);
  auto *thread = static_cast<DeviceThread *>(cufortEmuThread);
  if (thread->block)
    worker->scheduler.yield(*thread);
  worker->setMode(Mode::Device);
  errno = savedErrno;
}

static Watchdog *theWatchdog;

// The child of a fork has neither the thread nor a lock that is known to be free.
static void forgetInChild() { theWatchdog = new Watchdog(); }

Watchdog &Watchdog::instance() {
  static const bool made = [] {
    forgetInChild();
    pthread_atfork(nullptr, nullptr, forgetInChild);
    return true;
  }();
  (void)made;
  return *theWatchdog;
}

void Watchdog::start() {
  started = true;
  struct sigaction action = {};
  action.sa_sigaction = onPreempt;
  // The handler may leave for another device thread: the signal must not stay blocked meanwhile.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  struct sigaction old;
  sigaction(preemptSignal, &action, &old);
  if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != onPreempt)
    previousAction = old;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, threadEntry, this) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watchdog::watch(Worker &worker) {
#if CUFORT_TSAN
  return; // ThreadSanitizer delivers signals later, inside of itself, where nothing may be suspended
#endif
  std::lock_guard<std::mutex> guard(lock);
  list.push_back({&worker, pthread_self(), worker.scheduler.progress(), Clock::now(), false});
  if (!started)
    start();
  else if (parked)
    wake.notify_one();
}

void Watchdog::unwatch(Worker &worker) {
  std::lock_guard<std::mutex> guard(lock);
  list.erase(std::remove_if(list.begin(), list.end(), [&](const Watched &entry) { return entry.worker == &worker; }),
             list.end());
}

void *Watchdog::threadEntry(void *watchdog) {
  pthread_setname_np(pthread_self(), "cufort-watch");
  static_cast<Watchdog *>(watchdog)->look();
  return nullptr;
}

/// How long a device thread may run in a launch in which none has been interrupted.
static std::chrono::steady_clock::duration firstTurn() {
  double seconds = std::min(settings().timeoutSeconds, 1e6);
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

Watchdog::Clock::duration Watchdog::lookAt(Watched &watched, Clock::time_point now) {
  Clock::duration patience = watched.hurried ? hurriedTurn : firstTurn();
  uint64_t progress = watched.worker->scheduler.progress();
  if (progress != watched.progress) {
    watched.progress = progress;
    watched.since = now;
  } else if (now - watched.since >= patience) {
    watched.hurried = true;
    pthread_kill(watched.hostThread, preemptSignal);
  }
  return patience / 2;
}

void Watchdog::look() {
  std::unique_lock<std::mutex> guard(lock);
  for (unsigned idle = 0;;) {
    Clock::duration pause = std::min<Clock::duration>(std::chrono::milliseconds(250), firstTurn() / 2);
    Clock::time_point now = Clock::now();
    for (Watched &watched : list)
      pause = std::min(pause, lookAt(watched, now));
    idle = list.empty() ? idle + 1 : 0;
    parked = idle > 8;
    if (parked)
      wake.wait(guard, [&] { return !list.empty(); });
    else
      wake.wait_for(guard, pause);
    if (parked)
      idle = 0;
    parked = false;
  }
}

} // namespace cufort::rt::emulated
