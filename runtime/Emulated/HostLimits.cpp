#include "runtime/Emulated/HostLimits.h"
#include "runtime/Support/FloatTraps.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace {

/// Returns the first line of a file, or an empty string if there is none.
std::string firstLine(const std::string &path) {
  std::string line;
  if (FILE *file = fopen(path.c_str(), "re")) {
    char buffer[256];
    if (fgets(buffer, sizeof buffer, file))
      line = buffer;
    fclose(file);
  }
  return line.substr(0, line.find('\n'));
}

/// Returns the path of this process in the control group hierarchy of `controller` ("" is version 2's), or "/".
std::string groupPath(const char *controller) {
  std::string path = "/";
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file)
    return path;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    char *names = strchr(line, ':');
    char *location = names ? strchr(names + 1, ':') : nullptr;
    if (!location)
      continue;
    *location++ = 0;
    std::string list = "," + std::string(names + 1) + ",";
    if (*controller ? list.find("," + std::string(controller) + ",") == std::string::npos : names[1] != 0)
      continue;
    path = location;
    path.resize(std::min(path.find('\n'), path.size()));
  }
  fclose(file);
  return path;
}

/// Calls `use` with the line of `file` in the process's group and in all groups above it.
template <typename Use>
void forEachLevel(const std::string &mount, std::string path, const char *file, Use use) {
  for (;;) {
    std::string line = firstLine(mount + (path == "/" ? "" : path) + "/" + file);
    if (!line.empty())
      use(line);
    if (path.empty() || path == "/")
      return;
    path.resize(path.find_last_of('/'));
  }
}

double quotaCores() {
  double cores = 1e9;
  forEachLevel("/sys/fs/cgroup", groupPath(""), "cpu.max", [&](const std::string &line) {
    double quota, period;
    if (sscanf(line.c_str(), "%lf %lf", &quota, &period) == 2 && period > 0)
      cores = std::min(cores, quota / period);
  });
  double quota = atof(firstLine("/sys/fs/cgroup/cpu" + groupPath("cpu") + "/cpu.cfs_quota_us").c_str());
  double period = atof(firstLine("/sys/fs/cgroup/cpu" + groupPath("cpu") + "/cpu.cfs_period_us").c_str());
  if (quota > 0 && period > 0)
    cores = std::min(cores, quota / period);
  return cores;
}

} // namespace

namespace cufort::rt::emulated {

unsigned usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  double quota = quotaCores();
  if (quota < double(cores))
    cores = long(quota + 0.999);
  return unsigned(std::max(cores, 1L));
}

size_t usableMemory() {
  uint64_t bytes = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  auto limit = [&](const std::string &line) {
    uint64_t value = strtoull(line.c_str(), nullptr, 10); // "max" is 0
    if (value)
      bytes = std::min(bytes, value);
  };
  forEachLevel("/sys/fs/cgroup", groupPath(""), "memory.max", limit);
  forEachLevel("/sys/fs/cgroup/memory", groupPath("memory"), "memory.limit_in_bytes", limit);
  return bytes;
}

long mappingLimit() {
  long limit = atol(firstLine("/proc/sys/vm/max_map_count").c_str());
  return limit > 0 ? limit : 65530;
}

int clockRateKHz() {
  if (int maximum = atoi(firstLine("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str()); maximum > 0)
    return maximum;
  ExceptionsOff exceptionsOff;
  double megahertz = 0;
  if (FILE *file = fopen("/proc/cpuinfo", "re")) {
    char line[512];
    while (!megahertz && fgets(line, sizeof line, file))
      if (!strncmp(line, "cpu MHz", 7))
        if (const char *colon = strchr(line, ':'))
          megahertz = atof(colon + 1);
    fclose(file);
  }
  return megahertz > 0 ? int(megahertz * 1000) : 1000000;
}

bool hasWideVectors() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("x86-64-v3");
}

} // namespace cufort::rt::emulated
