#include "driver/Jobs/Isolation.h"
#include "driver/Jobs/ProgressPage.h"
#include "driver/Jobs/Sandbox.h"
#include "driver/Options/Errors.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cufort::driver;

namespace {

/// Reads all of `descriptor` from its start.
std::string readAll(int descriptor) {
  std::string text;
  char buffer[4096];
  off_t offset = 0;
  for (ssize_t count; (count = pread(descriptor, buffer, sizeof(buffer), offset)) > 0; offset += count)
    text.append(buffer, count);
  return text;
}

/// Prepares the child: it dies with `parent`, reads nothing, writes its messages to `messages`, and takes signals as
/// any program does.
void enterChild(pid_t parent, int messages) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(messages, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
}

std::vector<char *> pointersTo(llvm::ArrayRef<std::string> arguments) {
  std::vector<char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void replaceByProgram(char **arguments) {
  execv(arguments[0], arguments);
  // Runs between fork and exec: no allocation.
  const char *texts[] = {"cannot run '", arguments[0], "': ", strerror(errno), "\n"};
  for (const char *text : texts)
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
      break;
  _exit(127);
}

} // namespace

Child::Child(Child &&other) { *this = std::move(other); }

Child &Child::operator=(Child &&other) {
  std::swap(pid, other.pid);
  std::swap(messages, other.messages);
  std::swap(page, other.page);
  return *this;
}

Child::~Child() {
  if (pid > 0) {
    kill(SIGKILL);
    wait();
  }
  release();
}

void Child::release() {
  if (messages >= 0)
    close(messages);
  deleteProgressPage(page);
  messages = -1;
  page = nullptr;
}

llvm::Expected<Child> Child::start(llvm::function_ref<void()> inChild, ProgressPage *page,
                                   const ChildOptions &options) {
  Child child;
  child.page = page;
  child.messages = memfd_create("messages", MFD_CLOEXEC);
  if (child.messages < 0)
    return failure(llvm::Twine("cannot collect messages: ") + strerror(errno));
  pid_t parent = getpid();
  child.pid = fork();
  if (child.pid < 0)
    return failure(llvm::Twine("cannot start a process: ") + strerror(errno));
  if (child.pid == 0) {
    enterChild(parent, child.messages);
    if (!options.workspace.empty())
      setenv("TMPDIR", options.workspace.c_str(), 1);
    inChild();
    _exit(127);
  }
  // Also here: the parent may want to kill the group before the child has made it.
  setpgid(child.pid, child.pid);
  return child;
}

llvm::Expected<Child> Child::startBody(llvm::function_ref<int()> body, const ChildOptions &options) {
  ProgressPage *page = newProgressPage();
  if (!page)
    return failure(llvm::Twine("cannot share memory: ") + strerror(errno));
  return start([&] { runInSandbox(body, *page, {options.timeLimit, options.traceCrashes}); }, page, options);
}

llvm::Expected<Child> Child::startProgram(llvm::ArrayRef<std::string> arguments, const ChildOptions &options) {
  std::vector<char *> pointers = pointersTo(arguments);
  return start([&] { replaceByProgram(pointers.data()); }, nullptr, options);
}

ChildResult Child::takeResult(int waitStatus) {
  pid = -1;
  ChildResult result;
  result.messages = readAll(messages);
  result.completed = WIFEXITED(waitStatus);
  result.status = WIFEXITED(waitStatus) ? WEXITSTATUS(waitStatus) : 0;
  result.signal = WIFSIGNALED(waitStatus) ? WTERMSIG(waitStatus) : 0;
  if (page) {
    result.completed = page->completed;
    if (result.completed)
      result.status = page->status;
    if (page->signal)
      result.signal = page->signal;
    result.fatal = page->fatal;
    if (uint32_t current = page->current) {
      const ProgressNote &note = page->notes[current - 1];
      result.activity = note.activity;
      result.file = note.file;
      result.line = note.line;
    }
  }
  result.outOfTime = result.signal == SIGXCPU;
  release();
  return result;
}

int Child::reap() {
  // What the child has started and left running must not outlive it. The child is still there as the leader of its
  // group, so the group's number cannot belong to anyone else.
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::optional<ChildResult> Child::poll() {
  siginfo_t info;
  info.si_pid = 0;
  if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid)
    return std::nullopt;
  return takeResult(reap());
}

ChildResult Child::wait() {
  siginfo_t info;
  while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  return takeResult(reap());
}

void Child::kill(int signal) {
  if (pid > 0)
    ::kill(-pid, signal);
}
