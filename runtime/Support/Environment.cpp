#include "runtime/Support/Environment.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace cufort::rt {

namespace {

std::once_flag once;
Environment settings;

bool isSet(const char *name, bool otherwise = false) {
  const char *value = std::getenv(name);
  return value && *value ? std::strcmp(value, "0") != 0 : otherwise;
}

void readDevice() {
  const char *value = std::getenv("CUFORT_DEVICE");
  if (!value || !*value)
    return;
  if (!std::strcmp(value, "gpu"))
    settings.device = DeviceChoice::Gpu;
  else if (!std::strcmp(value, "emulated"))
    settings.device = DeviceChoice::Emulated;
  else
    settings.unknownDevice = value;
}

/// The value of a variable that holds a sum of bits; 0 if it is no number.
unsigned readBits(const char *name) {
  const char *value = std::getenv(name);
  return value ? static_cast<unsigned>(std::strtoul(value, nullptr, 10)) : 0;
}

void readAll() {
  settings = Environment();
  readDevice();
  settings.debug = isSet("CUFORT_DEBUG");
  settings.quiet = isSet("CUFORT_QUIET");
  settings.trials = isSet("CUFORT_TRIALS", /*otherwise=*/true);
  settings.alternative = std::getenv("CUFORT_ALTERNATIVE");
  settings.launchCheck = isSet("CUFORT_LAUNCH_CHECK");
  settings.forcePtx = isSet("CUDA_FORCE_PTX_JIT");
  settings.deviceIsManaged = isSet("NVCOMPILER_CUDAFOR_DEVICE_IS_MANAGED");
  // Bit 2 asks for it after CUF kernels, bit 4 after kernel calls. Both are launches here.
  settings.synchronousLaunch = (readBits("NVCOMPILER_ACC_SYNCHRONOUS") & (2 | 4)) != 0;
  settings.notify = readBits("NVCOMPILER_ACC_NOTIFY");
}

} // namespace

const Environment &environment() {
  std::call_once(once, readAll);
  return settings;
}

void reloadEnvironment() {
  environment();
  readAll();
}

void debugLog(const char *format, ...) {
  if (!environment().debug)
    return;
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "cufort: %s\n", line);
}

} // namespace cufort::rt
