// Prints the host time of one kernel launch above the driver's own: the driver here is a function that returns.
#include "runtime/Launch/Launch.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <chrono>
#include <cstdio>

using namespace cufort::rt;

namespace {

template <typename Work>
double nanosecondsPerCall(Work work) {
  constexpr int calls = 2000000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      work();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / calls);
  }
  return best;
}

} // namespace

int main() {
  fake::install();
  fake::device().recordLaunches = false;
  fake::TestImage image;
  void *stub = nullptr;
  for (int i = 0; i < 100; ++i)
    stub = image.kernel(("kernel" + std::to_string(i)).c_str());
  image.add();
  Current current;
  LoadedKernel *kernel = nullptr;
  if (!currentContext(current).ok() || !findKernel(current, stub, kernel).ok())
    return 1;
  const DriverTable &table = fake::table();
  std::printf("driver call alone     %6.1f ns\n", nanosecondsPerCall([&] {
                table.launchKernel(kernel->general.function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
              }));
  std::printf("kernel lookup         %6.1f ns\n", nanosecondsPerCall([&] {
                LoadedKernel *found = findLoadedKernel(0, stub);
                __asm__ volatile("" : : "r"(found));
              }));
  std::printf("cached context        %6.1f ns\n", nanosecondsPerCall([&] { cachedContext(current); }));
  std::printf("cufortLaunchKernel    %6.1f ns\n", nanosecondsPerCall([&] {
                cufortLaunchKernel(stub, 100, 1, 1, 256, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 1);
              }));
}
