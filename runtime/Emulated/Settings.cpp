#include "runtime/Emulated/Settings.h"
#include "runtime/Emulated/HostLimits.h"
#include "runtime/Support/FloatTraps.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace cufort::rt::emulated {

/// Returns the bytes that `name` asks for, or `otherwise` if it is not set or no positive number.
static size_t bytesFromEnvironment(const char *name, size_t otherwise) {
  const char *text = getenv(name);
  if (!text)
    return otherwise;
  char *end;
  double value = strtod(text, &end);
  switch (*end) {
  case 'k':
  case 'K':
    value *= 1 << 10;
    break;
  case 'm':
  case 'M':
    value *= 1 << 20;
    break;
  case 'g':
  case 'G':
    value *= 1 << 30;
    break;
  }
  return value >= 1 && value < 1e18 ? size_t(value) : otherwise;
}

static Checks readChecks(std::string_view list) {
  if (list == "1" || list == "all")
    return {true, true, true, false, true};
  Checks result;
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    bool *chosen = name == "bounds"  ? &result.bounds
                   : name == "race"  ? &result.race
                   : name == "sync"  ? &result.sync
                   : name == "below" ? &result.below
                   : name == "host"  ? &result.host
                                     : nullptr;
    if (chosen)
      *chosen = true;
    else if (name != "0" && name != "none")
      fprintf(
          stderr,
          "cufort: CUFORT_CHECK: '%.*s' is no check: bounds, below, race, sync and host are, and 1 for all but below\n",
          int(name.size()), name.data());
  }
  return result;
}

static Settings readSettings() {
  ExceptionsOff exceptionsOff;
  Settings result;
  const char *threads = getenv("CUFORT_EMULATED_THREADS");
  int count = threads ? atoi(threads) : 0;
  result.threads = count > 0 ? unsigned(std::min(count, 1024)) : usableCores();
  // The runtime itself, called from a device thread, needs a part of the smallest.
  result.stackBytes = std::max(bytesFromEnvironment("CUFORT_EMULATED_STACK", 128 << 10), size_t(16 << 10));
  result.memoryBytes = bytesFromEnvironment("CUFORT_EMULATED_MEMORY", usableMemory() / 2);
  const char *timeout = getenv("CUFORT_EMULATED_TIMEOUT");
  double seconds = timeout ? atof(timeout) : 0;
  result.timeoutSeconds = seconds > 0 ? seconds : 1;
  const char *checks = getenv("CUFORT_CHECK");
  result.choosesChecks = checks && *checks && strcmp(checks, "host") != 0;
  result.checks = readChecks(checks ? checks : "");
  const char *vectors = getenv("CUFORT_EMULATED_VECTORS");
  result.wideVectors = hasWideVectors() && !(vectors && atoi(vectors) == 16);
  return result;
}

/// Other threads may hold a reference to settings of before: they are kept.
static std::atomic<const Settings *> &current() {
  static std::atomic<const Settings *> settings{new Settings(readSettings())};
  return settings;
}

const Settings &settings() { return *current().load(std::memory_order_acquire); }

void reloadSettings() {
  static auto *former = new std::vector<const Settings *>();
  former->push_back(current().exchange(new Settings(readSettings())));
}

} // namespace cufort::rt::emulated
