#include "runtime/Emulated/WorkerPool.h"
#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/Worker.h"
#include <algorithm>
#include <csignal>
#include <pthread.h>

namespace cufort::rt::emulated {

// A launch of fewer device threads begins on the launching thread alone; if it is not done after so many seconds, its
// threads are long and the pool is called. Waking the pool costs about a tenth of that.
static constexpr uint64_t smallLaunch = 4096;
static constexpr double smallLaunchSeconds = 100e-6;

static WorkerPool *thePool;

// The child of a fork has none of the threads, and no lock that is known to be free.
static void forgetInChild() { thePool = new WorkerPool(); }

WorkerPool &WorkerPool::instance() {
  static const bool made = [] {
    forgetInChild();
    pthread_atfork(nullptr, nullptr, forgetInChild);
    return true;
  }();
  (void)made;
  return *thePool;
}

CUresult WorkerPool::run(Launch &launch) {
  Worker &mine = Worker::ofThisThread();
  bool shared = settings().threads > 1 && launch.blockCount > 1;
  if (shared && !launch.shape.together && launch.blockCount * launch.threadsPerBlock < smallLaunch) {
    mine.run(launch, smallLaunchSeconds);
    if (launch.unclaimed() == 0 || launch.stopped())
      return launch.finish();
  }
  if (shared)
    offer(launch);
  mine.run(launch);
  if (shared)
    withdraw(launch);
  return launch.finish();
}

void WorkerPool::startThreads() {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGURG}) // ours: Fault.cpp, Watchdog.cpp
    sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  for (; threads + 1 < settings().threads; ++threads) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, threadEntry, this) != 0)
      break; // fewer do, too
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkerPool::offer(Launch &launch) {
  std::lock_guard<std::mutex> guard(lock);
  startThreads();
  offers.push_back(&launch);
  workOffered.notify_all();
}

void WorkerPool::withdraw(Launch &launch) {
  std::unique_lock<std::mutex> guard(lock);
  offers.erase(std::find(offers.begin(), offers.end(), &launch));
  helperLeft.wait(guard, [&] { return launch.helpers == 0; });
}

Launch *WorkerPool::findWork() {
  for (Launch *launch : offers)
    if (launch->unclaimed() && !launch->stopped() && launch->helpers + 1 < settings().threads)
      return launch;
  return nullptr;
}

void *WorkerPool::threadEntry(void *pool) {
  pthread_setname_np(pthread_self(), "cufort-emu");
  static_cast<WorkerPool *>(pool)->serve();
  return nullptr;
}

void WorkerPool::serve() {
  Worker &worker = Worker::ofThisThread();
  std::unique_lock<std::mutex> guard(lock);
  for (;;) {
    Launch *launch = nullptr;
    workOffered.wait(guard, [&] { return (launch = findWork()); });
    ++launch->helpers;
    guard.unlock();
    worker.run(*launch);
    guard.lock();
    if (--launch->helpers == 0)
      helperLeft.notify_all();
  }
}

} // namespace cufort::rt::emulated
