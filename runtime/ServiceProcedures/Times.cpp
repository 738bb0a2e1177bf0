#include "runtime/ServiceProcedures/ServiceProcedures.h"
#include "runtime/ServiceProcedures/Strings.h"
#include <chrono>
#include <ctime>
#include <sys/resource.h>
#include <sys/times.h>

namespace {

double seconds(const timeval &time) { return time.tv_sec + time.tv_usec * 1e-6; }

void store(const std::tm &time, std::int32_t *parts) {
  const int all[] = {time.tm_sec,  time.tm_min,  time.tm_hour, time.tm_mday, time.tm_mon,
                     time.tm_year, time.tm_wday, time.tm_yday, time.tm_isdst};
  std::copy(std::begin(all), std::end(all), parts);
}

} // namespace

float etime_(float *times) {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  times[0] = seconds(usage.ru_utime);
  times[1] = seconds(usage.ru_stime);
  return times[0] + times[1];
}

float second_() {
  float times[2];
  return etime_(times);
}

std::int32_t time_() { return static_cast<std::int32_t>(std::time(nullptr)); }

void date_(char *text, std::int64_t length) {
  std::time_t now = std::time(nullptr);
  std::tm local;
  char buffer[16];
  cufort::rt::assign(text, length,
                     {buffer, std::strftime(buffer, sizeof buffer, "%d-%b-%y", localtime_r(&now, &local))});
}

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

double rtc_() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::int64_t irtc_() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::int32_t times_(std::int64_t *ticks) {
  tms used;
  clock_t now = times(&used);
  for (clock_t part : {used.tms_utime, used.tms_stime, used.tms_cutime, used.tms_cstime})
    *ticks++ = part;
  return static_cast<std::int32_t>(now);
}

void ltime_(const std::int32_t *seconds, std::int32_t *parts) {
  std::time_t time = *seconds;
  std::tm local;
  store(*localtime_r(&time, &local), parts);
}

void gmtime_(const std::int32_t *seconds, std::int32_t *parts) {
  std::time_t time = *seconds;
  std::tm greenwich;
  store(*gmtime_r(&time, &greenwich), parts);
}

void ctime_(char *result, std::int64_t length, const std::int32_t *seconds) {
  std::time_t time = *seconds;
  char text[26]; // with a line feed and a null character at the end
  ctime_r(&time, text);
  cufort::rt::assign(result, length, std::string_view(text, 24));
}
