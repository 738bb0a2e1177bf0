#include "codegen/Process/ForkedWork.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using cufort::codegen::ForkedWork;

/// The first byte of a result's file says what the others are.
static constexpr char bytesFollow = 'b', errorFollows = 'e';

/// Writes `result` to `file` and ends this process, without destructors.
[[noreturn]] static void deliver(ForkedWork::Result result, int file) {
  raw_fd_ostream out(file, /*shouldClose=*/false);
  if (result)
    out << bytesFollow << StringRef(result->data(), result->size());
  else
    out << errorFollows << toString(result.takeError());
  out.flush();
  outs().flush();
  _exit(out.has_error() ? 1 : 0);
}

static std::unique_ptr<MemoryBuffer> readAll(int file) {
  auto buffer = MemoryBuffer::getOpenFile(file, "result", lseek(file, 0, SEEK_END));
  return buffer ? std::move(*buffer) : MemoryBuffer::getMemBuffer("");
}

/// What deliver() has written to `file`.
static ForkedWork::Result resultIn(int file) {
  std::unique_ptr<MemoryBuffer> buffer = readAll(file);
  StringRef contents = buffer->getBuffer();
  if (contents.empty())
    return createStringError("the result of another process cannot be read");
  if (contents.front() == errorFollows)
    return createStringError(contents.drop_front());
  return SmallVector<char, 0>(contents.begin() + 1, contents.end());
}

/// Ends this process as the one with `status` has ended.
[[noreturn]] static void endAs(int status) {
  if (WIFSIGNALED(status))
    kill(getpid(), WTERMSIG(status));
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

ForkedWork::ForkedWork(function_ref<Result()> work) {
  outs().flush();
  messages = memfd_create("messages", MFD_CLOEXEC);
  bytes = memfd_create("result", MFD_CLOEXEC);
  if (messages >= 0 && bytes >= 0)
    process = fork();
  if (process == 0) {
    dup2(messages, STDERR_FILENO);
    deliver(work(), bytes);
  }
  if (process < 0)
    result.emplace(work());
}

ForkedWork::ForkedWork(ForkedWork &&other) : result(std::move(other.result)) {
  std::swap(process, other.process);
  std::swap(messages, other.messages);
  std::swap(bytes, other.bytes);
}

ForkedWork::~ForkedWork() {
  if (process > 0) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  for (int file : {messages, bytes})
    if (file >= 0)
      close(file);
}

ForkedWork::Result ForkedWork::wait() {
  if (result)
    return std::move(*result);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  process = -1;
  errs() << readAll(messages)->getBuffer();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    endAs(status);
  return resultIn(bytes);
}
