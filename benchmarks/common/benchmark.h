// What all benchmarks share: sizes, random data, the clock, samples, and checksums of results. Twin: benchmark.cuf.
//
// -DRESTRICT tells nvcc what Fortran says by its rules: arrays that are arguments do not overlap. With it, `noalias`
// stands for __restrict__, otherwise for nothing.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace benchmark {

/// What the clock measures: the device's work between two events, the host's time until the device has finished, or the
/// host's time until all calls have returned.
enum class Clock { Events, Host, HostCalls };

} // namespace benchmark

#ifdef __CUDACC__
#include "device.h"
#else
#include "host.h"
#endif

#ifdef RESTRICT
#define noalias __restrict__
#else
#define noalias
#endif

namespace benchmark {

constexpr int warmUps = 3, mostSamples = 20, fewestSamples = 5;
constexpr double enoughMs = 200;

inline std::vector<const char *> names;
inline Clock clockUsed;
inline bool wrong;
inline int launchesPerSample, launched, samples;
inline double totalMs;

inline void start(int argc, char **argv) {
  names.assign(argv + 1, argv + argc);
  prepareClock();
}

inline int finish() { return wrong; }

inline bool sizeIs(const char *name) {
  const char *value = getenv("BENCHMARK_SIZE");
  return value && !strcmp(value, name);
}

/// The size of a problem: for a GPU, for the emulated device, or for a test, as BENCHMARK_SIZE says.
inline int sized(int gpu, int emulated, int test) {
  return sizeIs("emulated") ? emulated : sizeIs("test") ? test : gpu;
}

/// What `beginCase` may be told: bytes and operations of one launch, the size of the numbers that are operated on,
/// launches per sample, and the clock.
struct Work {
  double bytes = 0, flops = 0;
  int kind = 8, launches = 1;
  Clock clock = Clock::Events;
};

/// Whether the case is among the arguments of the program, or there are none.
inline bool beginCase(const char *name, Work work) {
  bool wanted = names.empty();
  for (const char *other : names)
    wanted |= !strcmp(name, other);
  if (!wanted)
    return false;
  launchesPerSample = work.launches;
  clockUsed = work.clock;
  printf("case %s %.7e %.7e %d\n", name, work.bytes, work.flops, clockUsed == Clock::Events ? work.kind : 0);
  launched = 0;
  samples = sizeIs("test") ? 0 : -warmUps;
  totalMs = 0;
  return true;
}

inline bool enough() {
  if (sizeIs("test"))
    return samples >= 1;
  return samples >= mostSamples || (samples >= fewestSamples && totalMs > enoughMs);
}

inline void takeSample() {
  double ms = stopClock(clockUsed);
  if (++samples > 0) {
    printf("sample %.7e\n", ms / launchesPerSample);
    totalMs += ms;
  }
}

/// The condition of the loop around the launch: starts and stops the clock, and says whether to launch once more.
inline bool nextSample() {
  if (launched == launchesPerSample) {
    takeSample();
    launched = 0;
  }
  if (launched == 0 && enough())
    return false;
  if (launched == 0)
    startClock(clockUsed);
  ++launched;
  return true;
}

/// Takes one number that stands for the results; it has to be that of the Fortran program.
inline void endCase(double total) {
  const char *error = deviceError();
  if (error)
    printf("wrong %s\n", error);
  else
    printf("result %.16e\n", total);
  wrong |= error != nullptr;
}

inline int64_t nextState(int64_t state) { return (state * 1103515245 + 12345) & 2147483647; }

/// Numbers in (0, 1), the same in both languages.
inline void fill(std::vector<double> &x, int seed) {
  int64_t state = seed;
  for (double &value : x) {
    state = nextState(state);
    value = (state + 0.5) / 2147483648.0;
  }
}

inline void fill(std::vector<float> &x, int seed) {
  int64_t state = seed;
  for (float &value : x) {
    state = nextState(state);
    value = (float(state >> 8) + 0.5f) / 8388608.0f;
  }
}

/// Whole numbers from 0 to below - 1.
inline void fill(std::vector<int> &x, int below, int seed) {
  int64_t state = seed;
  for (int &value : x) {
    state = nextState(state);
    value = int((state * below) >> 31);
  }
}

template <class T>
double sum(const std::vector<T> &x) {
  double total = 0;
  for (T value : x)
    total += value;
  return total;
}

/// A sum with weights, so that results in another order have another sum.
template <class T>
double checksum(const std::vector<T> &x) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i)
    total += double(x[i]) * (1 + (i + 1) % 1009);
  return total;
}

} // namespace benchmark
