// The clock of a GPU, and arrays in its memory.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace benchmark {

inline cudaEvent_t firstEvent, lastEvent;
inline std::chrono::steady_clock::time_point firstTick;

inline void prepareClock() {
  if (cudaEventCreate(&firstEvent) != cudaSuccess || cudaEventCreate(&lastEvent) != cudaSuccess) {
    fprintf(stderr, "no device\n");
    exit(1);
  }
}

inline void startClock(Clock clock) {
  if (clock != Clock::Events) {
    cudaDeviceSynchronize();
    firstTick = std::chrono::steady_clock::now();
  } else {
    cudaEventRecord(firstEvent, 0);
  }
}

/// Milliseconds since `startClock`.
inline double stopClock(Clock clock) {
  if (clock != Clock::Events) {
    if (clock == Clock::Host)
      cudaDeviceSynchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - firstTick).count();
  }
  float ms = 0;
  cudaEventRecord(lastEvent, 0);
  cudaEventSynchronize(lastEvent);
  cudaEventElapsedTime(&ms, firstEvent, lastEvent);
  return ms;
}

/// What has gone wrong on the device, or null.
inline const char *deviceError() {
  cudaError_t status = cudaDeviceSynchronize();
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

/// An array in device memory.
template <class T>
class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count(count) { cudaMalloc(&data, count * sizeof(T)); }
  explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) { *this = host; }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(data); }

  /// Fills the first elements.
  void operator=(const std::vector<T> &host) {
    cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  void clear() { cudaMemset(data, 0, count * sizeof(T)); }
  operator T *() { return data; }
  std::vector<T> onHost() const {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

private:
  T *data = nullptr;
  size_t count;
};

} // namespace benchmark
