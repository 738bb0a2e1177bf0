#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include <chrono>
#include <ctime>
#include <sys/resource.h>

namespace {

double seconds(const timeval &time) { return time.tv_sec + time.tv_usec * 1e-6; }

} // namespace

float dtime_(float *times) {
  static double lastProgram = 0, lastSystem = 0;
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double program = seconds(usage.ru_utime), system = seconds(usage.ru_stime);
  times[0] = program - lastProgram;
  times[1] = system - lastSystem;
  lastProgram = program;
  lastSystem = system;
  return times[0] + times[1];
}

void itime_(std::int32_t *time) {
  std::time_t now = std::time(nullptr);
  std::tm local;
  localtime_r(&now, &local);
  time[0] = local.tm_hour;
  time[1] = local.tm_min;
  time[2] = local.tm_sec;
}

double timef_() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point first = Clock::now();
  return std::chrono::duration<double, std::milli>(Clock::now() - first).count();
}
