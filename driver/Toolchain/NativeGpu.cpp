#include "driver/Toolchain/NativeGpu.h"
#include <cstring>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cufort::driver;

namespace {

constexpr int answerTimeoutMs = 20000;
constexpr int maxGpus = 64;

/// What the child writes for each GPU: small enough that one write to a pipe is not torn.
struct GpuRecord {
  unsigned arch;
  char name[100];
};

// The few entry points of libcuda that are needed, as cuda.h declares them.
using InitFunction = int (*)(unsigned flags);
using CountFunction = int (*)(int *count);
using GetFunction = int (*)(int *device, int ordinal);
using NameFunction = int (*)(char *name, int size, int device);
using AttributeFunction = int (*)(int *value, int attribute, int device);
constexpr int attributeMajor = 75, attributeMinor = 76;

/// Writes one record per GPU to `out`. Runs in the child.
void askDriver(int out) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  auto init = reinterpret_cast<InitFunction>(dlsym(library, "cuInit"));
  auto count = reinterpret_cast<CountFunction>(dlsym(library, "cuDeviceGetCount"));
  auto get = reinterpret_cast<GetFunction>(dlsym(library, "cuDeviceGet"));
  auto name = reinterpret_cast<NameFunction>(dlsym(library, "cuDeviceGetName"));
  auto attribute = reinterpret_cast<AttributeFunction>(dlsym(library, "cuDeviceGetAttribute"));
  int gpus = 0;
  if (!init || !count || !get || !attribute || init(0) != 0 || count(&gpus) != 0)
    return;
  for (int ordinal = 0; ordinal < gpus && ordinal < maxGpus; ++ordinal) {
    int device, major, minor;
    if (get(&device, ordinal) != 0 || attribute(&major, attributeMajor, device) != 0 ||
        attribute(&minor, attributeMinor, device) != 0)
      continue;
    GpuRecord record;
    std::memset(&record, 0, sizeof(record));
    record.arch = major * 10 + minor;
    if (name)
      name(record.name, sizeof(record.name) - 1, device);
    if (write(out, &record, sizeof(record)) != sizeof(record))
      return;
  }
}

/// Reads records from `in` until the child closes it or does not answer.
std::vector<NativeGpu> readRecords(int in) {
  std::vector<NativeGpu> gpus;
  GpuRecord record;
  pollfd ready = {in, POLLIN, 0};
  while (poll(&ready, 1, answerTimeoutMs) > 0 && read(in, &record, sizeof(record)) == sizeof(record)) {
    record.name[sizeof(record.name) - 1] = 0;
    gpus.push_back({record.arch, record.name});
  }
  return gpus;
}

/// Silences the child: a broken driver must not print or dump core.
void becomeSilent() {
  close(STDERR_FILENO);
  close(STDOUT_FILENO);
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL})
    ::signal(signal, [](int) { _exit(1); });
}

} // namespace

std::vector<NativeGpu> cufort::driver::detectNativeGpus() {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    becomeSilent();
    askDriver(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::vector<NativeGpu> gpus;
  if (child > 0) {
    gpus = readRecords(ends[0]);
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return gpus;
}
