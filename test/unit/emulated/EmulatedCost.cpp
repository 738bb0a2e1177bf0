// Prints what the emulated device costs: launches, device threads, blocks, switches at barriers and warp operations.
// A measurement, no test.
#include "runtime/ABI/EmulatedABI.h"
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Emulated/EmulatedDriver.h"
#include "runtime/Emulated/Settings.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace cufort::rt;

namespace {

const DriverTable &driver = emulatedDriver();

void nothing(void **) {}

void nothingInLoop(void **, const CufortEmuBlocks *range) {
  for (uint64_t block = range->first; block < range->end; ++block)
    asm volatile("");
}

void barriers(void **params) {
  for (int i = 0; i < *static_cast<int *>(params[0]); ++i)
    cufortEmuBarrier("barriers:1");
}

void shuffles(void **params) {
  int value = 1;
  for (int i = 0; i < *static_cast<int *>(params[0]); ++i)
    value += cufortEmuShuffle32(3, -1, value, 1, 31, "shuffles:1");
  asm volatile("" : : "r"(value));
}

void gridBarriers(void **params) {
  for (int i = 0; i < *static_cast<int *>(params[0]); ++i)
    cufortEmuGridBarrier("grid:1");
}

struct Kernel {
  explicit Kernel(void (*thread)(void **), void (*blocks)(void **, const CufortEmuBlocks *) = nullptr)
      : code{"k", thread, blocks, nullptr, 0, 0, 0, 0, {}, 0, nullptr, 0} {
    image.abiVersion = CUFORT_ABI_VERSION;
    image.emuKernelsBegin = &code;
    image.emuKernelsEnd = &code + 1;
    CUmodule module;
    if (driver.moduleLoadDataEx(&module, &image, 0, nullptr, nullptr) ||
        driver.moduleGetFunction(&function, module, "k"))
      abort();
  }
  CufortEmuKernel code;
  CufortImage image{};
  CUfunction function;
};

/// Returns the nanoseconds of the fastest of five launches, after one to warm up.
double nanoseconds(const Kernel &kernel, unsigned blocks, unsigned threads, int times, bool cooperative = false) {
  void *params[] = {&times};
  double best = 1e300;
  for (int i = 0; i < 6; ++i) {
    auto began = std::chrono::steady_clock::now();
    CUresult result =
        cooperative ? driver.launchCooperativeKernel(kernel.function, blocks, 1, 1, threads, 1, 1, 0, nullptr, params)
                    : driver.launchKernel(kernel.function, blocks, 1, 1, threads, 1, 1, 0, nullptr, params, nullptr);
    double took = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count();
    if (result != CUDA_SUCCESS)
      abort();
    if (i > 0)
      best = std::min(best, took);
  }
  return best;
}

void measure() {
  Kernel empty(nothing), loop(nothing, nothingInLoop), barrier(barriers), shuffle(shuffles), grid(gridBarriers);
  printf("launch of one thread                      %9.0f ns\n", nanoseconds(empty, 1, 1, 0));
  printf("launch of 1024 threads that do not wait   %9.0f ns\n", nanoseconds(empty, 1, 1024, 0));
  printf("launch of 16384 threads in 64 blocks      %9.0f ns\n", nanoseconds(empty, 64, 256, 0));
  printf("thread that does not wait                 %9.2f ns\n", nanoseconds(empty, 40000, 256, 0) / 40000 / 256);
  printf("block of one thread                       %9.2f ns\n", nanoseconds(empty, 1000000, 1, 0) / 1000000);
  printf("block of one thread, in compiled loops    %9.2f ns\n", nanoseconds(loop, 100000000, 1, 0) / 1e8);
  for (unsigned size : {32u, 256u, 1024u}) {
    int times = 200000 / int(size);
    printf("barrier, per thread, %4u threads         %9.1f ns\n", size,
           nanoseconds(barrier, 1, size, times) / times / size);
  }
  printf("shuffle, per lane                         %9.1f ns\n", nanoseconds(shuffle, 1, 256, 500) / 500 / 256);
  printf("grid barrier of 8 blocks of 128 threads   %9.0f ns\n", nanoseconds(grid, 8, 128, 300, true) / 300);
}

} // namespace

int main() {
  CUcontext context;
  if (driver.devicePrimaryCtxRetain(&context, 0) || driver.ctxSetCurrent(context))
    return 1;
  measure();
  printf("on %u host threads\n", emulated::settings().threads);
}
