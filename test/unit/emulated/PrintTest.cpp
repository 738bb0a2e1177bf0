// vprintf of device code: formats, whole lines, order.
#include "test/unit/emulated/EmulatedTest.h"
#include <cstring>
#include <sstream>

namespace cufort::rt::emulated {
namespace {

class Print : public EmulatedTest {
protected:
  std::string output(ThreadFunction kernel, const Shape &shape, std::vector<void *> params = {},
                     const KernelTraits &traits = {}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(launch(kernel, shape, std::move(params), traits), CUDA_SUCCESS);
    fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
};

/// Packs arguments as CUDA's compilers do: each at its natural alignment.
class Packed {
public:
  template <typename T>
  Packed &add(T value) {
    size = (size + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    memcpy(bytes + size, &value, sizeof(T));
    size += sizeof(T);
    return *this;
  }
  const void *data() const { return bytes; }

private:
  alignas(16) char bytes[256];
  size_t size = 0;
};

void everyConversion(void **params) {
  auto *counts = param<int *>(params, 0);
  Packed numbers;
  numbers.add(-5).add(7u).add(1LL << 40).add(~0ULL).add(3).add(1.5).add(-2.5e10);
  counts[0] = cufortEmuVprintf("%d %u %lld %llu|%5d|%f %e\n", numbers.data());
  Packed widths;
  widths.add(8).add(3).add(3.14159265).add(-6).add(42).add(255).add(255).add(8);
  counts[1] = cufortEmuVprintf("[%*.*f] [%*d] %x %#X %o\n", widths.data());
  Packed texts;
  texts.add("text").add('c' + 0).add(static_cast<const char *>(nullptr)).add("cut off");
  texts.add(reinterpret_cast<void *>(0xabc));
  counts[2] = cufortEmuVprintf("%s,%c,%s,%-6.3s|%p %%\n", texts.data());
  Packed longs;
  longs.add(5L).add(2.0).add(1e300).add(3L);
  counts[3] = cufortEmuVprintf("%ld %g %G %+ld\n", longs.data());
  counts[4] = cufortEmuVprintf("no arguments, 100%", nullptr);
  counts[5] = cufortEmuVprintf("%q\n", nullptr);
}

TEST_F(Print, Conversions) {
  int counts[6], *data = counts;
  EXPECT_EQ(output(everyConversion, {1, 1}, {&data}),
            "-5 7 1099511627776 18446744073709551615|    3|1.500000 -2.500000e+10\n"
            "[   3.142] [42    ] ff 0XFF 10\n"
            "text,c,(null),cut   |0xabc %\n"
            "5 2 1E+300 +3\n"
            "no arguments, 100%%q\n");
  EXPECT_EQ(std::vector<int>(counts, counts + 6), (std::vector<int>{7, 8, 5, 4, 0, 0}));
}

void longLine(void **params) {
  Packed arguments;
  arguments.add(param<const char *>(params, 0)).add(1.0);
  cufortEmuVprintf("<%s %1000.1f>", arguments.data());
}

TEST_F(Print, LongPieces) {
  std::string text(30000, 'x');
  const char *data = text.c_str();
  EXPECT_EQ(output(longLine, {1, 1}, {&data}), "<" + text + " " + std::string(997, ' ') + "1.0>");
}

void line(void **) {
  Packed arguments;
  arguments.add(int(blockNumber())).add(int(threadNumber()));
  cufortEmuVprintf("block %d thread %d\n", arguments.data());
}

std::string expectedLines(unsigned blocks, unsigned threads) {
  std::ostringstream lines;
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned thread = 0; thread < threads; ++thread)
      lines << "block " << block << " thread " << thread << "\n";
  return lines.str();
}

// Whatever workers the blocks ran on.
TEST_F(Print, ComesOutInTheOrderOfBlocksAndThreads) {
  set("CUFORT_EMULATED_THREADS", "5");
  EXPECT_EQ(output(line, {150, 64}), expectedLines(150, 64));
}

void lineInLoop(void **params, const CufortEmuBlocks *range) {
  for (uint64_t block = range->first; block < range->end; ++block) {
    range->thread->blockIdx[0] = uint32_t(block);
    for (uint32_t thread = 0; thread < range->blockDim[0]; ++thread) {
      range->thread->threadIdx[0] = thread;
      line(params);
    }
  }
}

TEST_F(Print, OfLoopKernels) {
  KernelTraits traits;
  traits.blocks = lineInLoop;
  EXPECT_EQ(output(line, {150, 64}, {}, traits), expectedLines(150, 64));
}

void aroundGridBarrier(void **) {
  Packed arguments;
  arguments.add(int(blockNumber()));
  if (threadNumber() == 0)
    cufortEmuVprintf("before %d\n", arguments.data());
  cufortEmuGridBarrier("print:1");
  if (threadNumber() == 1)
    cufortEmuVprintf("after %d\n", arguments.data());
}

TEST_F(Print, GridBarrierSeparates) {
  Shape shape{4, 2};
  shape.cooperative = true;
  EXPECT_EQ(output(aroundGridBarrier, shape),
            "before 0\nbefore 1\nbefore 2\nbefore 3\nafter 0\nafter 1\nafter 2\nafter 3\n");
}

void printThenStop(void **) {
  if (threadNumber() == 0)
    cufortEmuVprintf("printed\n", nullptr);
  cufortEmuBarrier("print:2");
  cufortEmuTrap("stop", nullptr);
}

TEST_F(Print, OutputOfAFailedKernelIsNotLost) {
  testing::internal::CaptureStdout();
  std::string message;
  EXPECT_EQ(launchAndCapture(message, printThenStop, {1, 2}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "printed\n");
}

} // namespace
} // namespace cufort::rt::emulated
