// What NVCOMPILER_ACC_NOTIFY makes the runtime tell on stderr.
#include "runtime/Launch/Launch.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Memory/Copy.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Support/Environment.h"
#include "runtime/Trace/Statement.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
#include <thread>

using namespace cufort::rt;
using fake::Call;

namespace {

class Trace : public ::testing::Test {
protected:
  void TearDown() override {
    unsetenv("NVCOMPILER_ACC_NOTIFY");
    reloadEnvironment();
    fake::install();
  }

  /// Lets the device tell what `bits` ask for.
  void notify(const char *bits) {
    setenv("NVCOMPILER_ACC_NOTIFY", bits, 1);
    reloadEnvironment();
    fake::install();
    stub = image.kernel("increment");
    image.add();
  }

  /// What `body` makes the runtime write; addresses and times are left out.
  template <typename Body>
  std::string written(Body body) {
    testing::internal::CaptureStderr();
    body();
    static const std::regex changing(" (address|time)=[^ \n]*");
    return std::regex_replace(testing::internal::GetCapturedStderr(), changing, " $1=");
  }

  void launch(int64_t stream = 0) {
    LaunchConfig config;
    config.grid[0] = 3;
    config.block[0] = 32;
    config.sharedBytes = 128;
    config.stream = stream;
    ASSERT_TRUE(launchKernel(stub, config, nullptr, "x.cuf", 12).ok());
  }

  void *allocated(size_t bytes) {
    void *memory = nullptr;
    EXPECT_TRUE(allocateMemory(MemoryKind::Device, bytes, memory).ok());
    return memory;
  }

  Current current() {
    Current now;
    EXPECT_TRUE(currentContext(now).ok());
    return now;
  }

  fake::TestImage image;
  void *stub = nullptr;
};

} // namespace

TEST_F(Trace, nothingIsToldUnlessAskedFor) {
  notify("0");
  EXPECT_FALSE(isTracing());
  EXPECT_EQ(written([&] {
              StatementScope statement("x.cuf", 3);
              launch();
              EXPECT_EQ(currentStatement().file, nullptr);
            }),
            "");
  EXPECT_EQ(current().table, &fake::table());
}

TEST_F(Trace, launchesWithTheirConfiguration) {
  notify("1");
  EXPECT_EQ(written([&] { launch(7); }), "launch CUDA kernel file=x.cuf line=12 device=0 stream=7 kernel=increment "
                                         "grid=3x1x1 block=32x1x1 shared=128\n");
  EXPECT_EQ(fake::device().callsOf(Call::eventSynchronize), 0);
}

TEST_F(Trace, timesAreWaitedFor) {
  notify("33");
  std::string line = written([&] { launch(7); });
  EXPECT_NE(line.find(" shared=128 time="), std::string::npos) << line;
  EXPECT_EQ(fake::device().callsOf(Call::eventSynchronize), 1);
  EXPECT_EQ(fake::device().callsOf(Call::eventDestroy), 2);
}

TEST_F(Trace, copiesAreOfTheStatementThatIsNoted) {
  notify("2");
  float host[4] = {};
  void *memory = allocated(sizeof host);
  auto copy = [&] {
    StatementScope statement("x.cuf", 20);
    ASSERT_TRUE(copyBytes(current(), memory, host, sizeof host, CopyMode::HostToDevice, 0).ok());
  };
  EXPECT_EQ(written([&] {
              cufortNoteStatement("a_d", "a", "x.cuf", 20);
              copy();
            }),
            "upload CUDA data file=x.cuf line=20 device=0 stream=0 variable=a_d from=a bytes=16 time=\n");
  // Variables belong to one statement.
  EXPECT_EQ(written(copy), "upload CUDA data file=x.cuf line=20 device=0 stream=0 bytes=16 time=\n");
}

TEST_F(Trace, routinesEndWhatWasNotedForThem) {
  notify("2");
  cufortNoteStatement("a_d", nullptr, "x.cuf", 20);
  EXPECT_EQ(currentStatement().line, 20);
  finishCall({});
  EXPECT_EQ(currentStatement().file, nullptr);
}

TEST_F(Trace, statementsOfThreadsAreTheirOwn) {
  notify("2");
  StatementScope statement("x.cuf", 20);
  std::thread([] { EXPECT_EQ(currentStatement().file, nullptr); }).join();
  EXPECT_EQ(currentStatement().line, 20);
}

TEST_F(Trace, directionsAndFills) {
  notify("2");
  float host[4] = {};
  void *memory = allocated(sizeof host), *other = allocated(sizeof host);
  EXPECT_EQ(written([&] {
              ASSERT_TRUE(copyBytes(current(), host, memory, sizeof host, CopyMode::DeviceToHost, 0).ok());
              ASSERT_TRUE(copyBytes(current(), other, memory, sizeof host, CopyMode::DeviceToDevice, 0).ok());
              ASSERT_TRUE(
                  fillElements(current(), reinterpret_cast<CUdeviceptr>(memory), host, sizeof *host, 4, 0).ok());
            }),
            "download CUDA data device=0 stream=0 bytes=16 time=\n"
            "copy CUDA data device=0 stream=0 bytes=16 time=\n"
            "fill CUDA data device=0 stream=0 bytes=16 time=\n");
}

TEST_F(Trace, waitsAndMemory) {
  notify("24");
  EXPECT_EQ(written([&] {
              StatementScope statement("x.cuf", 5);
              void *memory = allocated(64);
              ASSERT_EQ(current().table->ctxSynchronize(), CUDA_SUCCESS);
              ASSERT_TRUE(releaseMemory(memory).ok());
            }),
            "allocate CUDA data file=x.cuf line=5 device=0 kind=device bytes=64 address=\n"
            "wait for device file=x.cuf line=5 device=0 time=\n"
            "free CUDA data file=x.cuf line=5 device=0 address=\n");
  fake::device().fail(Call::memAllocManaged, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(written([&] {
              void *memory = nullptr;
              EXPECT_FALSE(allocateMemory(MemoryKind::Managed, 64, memory).ok());
            }),
            "cannot allocate CUDA data device=0 kind=managed bytes=64\n");
}
