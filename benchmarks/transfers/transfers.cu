// Copies between host and device: of 64 MiB in pageable and in pinned memory, of a section of a matrix, and of every
// second number. Twin: transfers.cuf.
#include "benchmark.h"

using namespace benchmark;

// Numbers by which a copy can be judged.
static double checksumOf(const float *data, size_t count) { return checksum(std::vector<float>(data, data + count)); }

int main(int argc, char **argv) {
  start(argc, argv);
  const size_t n = sized(4096, 1024, 64), count = n * n, rows = n / 4, column = n * sizeof(float), all = n * column;
  const auto toDevice = cudaMemcpyHostToDevice, toHost = cudaMemcpyDeviceToHost;
  std::vector<float> want(count), host(count);
  float *pinned;
  cudaMallocHost(&pinned, all);
  DeviceArray<float> device(count);
  fill(want, 1);

  host = want;
  if (beginCase("to_device_pageable", {.bytes = double(all), .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy(device, host.data(), all, toDevice);
    endCase(checksum(device.onHost()));
  }

  device = want;
  if (beginCase("to_host_pageable", {.bytes = double(all), .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy(host.data(), device, all, toHost);
    endCase(checksum(host));
  }

  device.clear();
  memcpy(pinned, want.data(), all);
  if (beginCase("to_device_pinned", {.bytes = double(all), .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy(device, pinned, all, toDevice);
    endCase(checksum(device.onHost()));
  }

  device = want;
  memset(pinned, 0, all);
  if (beginCase("to_host_pinned", {.bytes = double(all), .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy(pinned, device, all, toHost);
    endCase(checksumOf(pinned, count));
  }

  device.clear();
  memcpy(pinned, want.data(), all);
  if (beginCase("section_to_device", {.bytes = 4.0 * rows * n, .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy2D(device, column, pinned, column, rows * sizeof(float), n, toDevice);
    endCase(checksum(device.onHost()));
  }

  device = want;
  memset(pinned, 0, all);
  if (beginCase("section_to_host", {.bytes = 4.0 * rows * n, .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy2D(pinned, column, device, column, rows * sizeof(float), n, toHost);
    endCase(checksumOf(pinned, count));
  }

  device.clear();
  memcpy(pinned, want.data(), all);
  if (beginCase("strided_to_device", {.bytes = 2.0 * n * 16, .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy2D(device, 2 * sizeof(float), pinned, 2 * sizeof(float), sizeof(float), n / 2 * 16, toDevice);
    endCase(checksum(device.onHost()));
  }

  device = want;
  memset(pinned, 0, all);
  if (beginCase("strided_to_host", {.bytes = 2.0 * n * 16, .clock = Clock::Host})) {
    while (nextSample())
      cudaMemcpy2D(pinned, 2 * sizeof(float), device, 2 * sizeof(float), sizeof(float), n / 2 * 16, toHost);
    endCase(checksumOf(pinned, count));
  }
  return finish();
}
