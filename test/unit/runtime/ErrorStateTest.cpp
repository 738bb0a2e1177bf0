// What a program is told about failures that its statements cannot return, and how it ends.
#include "runtime/Stream/ErrorState.h"
#include "runtime/Launch/Launch.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace cufort::rt;
using fake::Call;
using testing::ExitedWithCode;

extern "C" void _FortranACUFDataTransferPtrPtr(void *, void *, size_t, unsigned, const char *, int);

namespace {

class Errors : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    stub = image.kernel("increment");
    image.add();
  }
  void launch(int threads, int line = 12, int64_t stream = 0) {
    cufortLaunchKernel(stub, 1, 1, 1, threads, 1, 1, 0, 0, 0, 0, stream, 0, nullptr, "x.cuf", line);
  }
  void transfer() {
    char from[8] = {}, to[8];
    _FortranACUFDataTransferPtrPtr(to, from, sizeof to, 1, "x.cuf", 20);
  }

  fake::TestImage image;
  void *stub = nullptr;
};

constexpr const char *launchFailure = "cufort: x.cuf:12: kernel 'increment' could not be launched: "
                                      "cudaErrorInvalidConfiguration \\(9\\): invalid configuration argument";

} // namespace

TEST_F(Errors, nothingIsWrongAtFirst) {
  EXPECT_EQ(takeLastError(), 0);
  EXPECT_EQ(launchesThatMayHaveFailed(), "");
  EXPECT_EXIT(std::exit(0), ExitedWithCode(0), "^$");
}

TEST_F(Errors, failedLaunchIsReportedAtExit) {
  EXPECT_EXIT(
      {
        launch(2000);
        std::exit(0);
      },
      ExitedWithCode(1), launchFailure);
}

TEST_F(Errors, exitStatusOfTheProgramIsKept) {
  EXPECT_EXIT(
      {
        launch(2000);
        std::exit(7);
      },
      ExitedWithCode(7), launchFailure);
}

TEST_F(Errors, otherThreadsFailuresAreReportedAtExit) {
  EXPECT_EXIT(
      {
        std::thread([&] { launch(2000); }).join();
        std::exit(0);
      },
      ExitedWithCode(1), launchFailure);
}

TEST_F(Errors, failedLaunchIsReportedAtATransfer) {
  EXPECT_EXIT(
      {
        launch(2000);
        transfer();
        std::exit(0);
      },
      ExitedWithCode(1), launchFailure);
}

TEST_F(Errors, isReportedOnce) {
  EXPECT_EXIT(
      {
        launch(2000);
        launch(3000, 13);
        transfer();
      },
      ExitedWithCode(1), "^cufort: x.cuf:12: [^\n]*\n$");
}

TEST_F(Errors, outputIsFlushedBeforeTheMessage) {
  EXPECT_EXIT(
      {
        // Standard output goes where the test looks, in a buffer.
        dup2(STDERR_FILENO, STDOUT_FILENO);
        static char buffer[1000];
        std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        std::printf("result 42\n");
        launch(2000);
        transfer();
      },
      ExitedWithCode(1), "^result 42\ncufort: x.cuf:12");
}

TEST_F(Errors, askingForErrorsIsEnough) {
  EXPECT_EXIT(
      {
        launch(2000);
        bool right = takeLastError() == cudaErrorInvalidConfiguration;
        transfer();
        std::exit(right ? 0 : 3);
      },
      ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      {
        launch(2000);
        bool right = peekLastError() == cudaErrorInvalidConfiguration;
        transfer();
        std::exit(right ? 0 : 3);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(Errors, statusOfAnApiRoutineIsEnough) {
  EXPECT_EXIT(
      {
        fake::device().fail(Call::launchKernel, CUDA_ERROR_ILLEGAL_ADDRESS);
        launch(1);
        finishCall(Result(CUDA_ERROR_ILLEGAL_ADDRESS, "cuStreamSynchronize"));
        std::exit(0);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(Errors, statusOfSuccessOrOfAnotherErrorIsNotEnough) {
  EXPECT_EXIT(
      {
        launch(2000);
        finishCall(Result());
        finishCall(Result(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc"));
        std::exit(0);
      },
      ExitedWithCode(1), launchFailure);
}

TEST_F(Errors, apiErrorIsTheLastErrorButNotPending) {
  EXPECT_EQ(finishCall(Result(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc")), cudaErrorMemoryAllocation);
  EXPECT_EQ(finishCall(Result()), 0);
  EXPECT_EXIT(std::exit(0), ExitedWithCode(0), "^$");
  EXPECT_EQ(takeLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(finishCall(Result(CUDA_ERROR_NOT_READY, "cuStreamQuery")), cudaErrorNotReady);
  EXPECT_EQ(takeLastError(), 0);
}

TEST_F(Errors, faultsStick) {
  finishCall(Result(CUDA_ERROR_ILLEGAL_ADDRESS, "cuCtxSynchronize"));
  EXPECT_EQ(takeLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(takeLastError(), cudaErrorIllegalAddress);
  clearErrorState();
  EXPECT_EQ(takeLastError(), 0);
}

TEST_F(Errors, faultNamesTheKernel) {
  EXPECT_EXIT(
      {
        launch(1);
        fake::device().fail(Call::memcpy, CUDA_ERROR_ILLEGAL_ADDRESS);
        transfer();
      },
      ExitedWithCode(1),
      "^cufort: x.cuf:20: data transfer: cudaErrorIllegalAddress \\(700\\): an illegal memory access was "
      "encountered \\(kernel 'increment' launched at x.cuf:12\\)\n$");
}

TEST_F(Errors, faultIsFoundAtExit) {
  EXPECT_EXIT(
      {
        launch(1);
        fake::device().fail(Call::ctxSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
        std::exit(0);
      },
      ExitedWithCode(1), "a kernel failed: cudaErrorIllegalAddress.*'increment' launched at x.cuf:12");
}

TEST_F(Errors, faultThatTheProgramKnowsIsNotReportedAtExit) {
  EXPECT_EXIT(
      {
        launch(1);
        fake::device().fail(Call::ctxSynchronize, CUDA_ERROR_ILLEGAL_ADDRESS);
        finishCall(Result(CUDA_ERROR_ILLEGAL_ADDRESS, "cuCtxSynchronize"));
        std::exit(0);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(Errors, exitWaitsForTheDevice) {
  EXPECT_EXIT(
      {
        launch(1);
        // Exit handlers run in the opposite order: this one runs after the runtime's.
        static fake::Device &device = fake::device();
        if (device.callsOf(Call::ctxSynchronize))
          _exit(3);
        on_exit([](int, void *) { _exit(device.callsOf(Call::ctxSynchronize) ? 4 : 0); }, nullptr);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(Errors, launchesAreForgottenWhenSynchronized) {
  launch(1, 12);
  launch(1, 12);
  launch(1, 13, 5);
  EXPECT_EQ(launchesThatMayHaveFailed(),
            "kernel 'increment' launched at x.cuf:12 or kernel 'increment' launched at x.cuf:13");
  noteSynchronized(1, /*allStreams=*/false);
  EXPECT_EQ(launchesThatMayHaveFailed(), "kernel 'increment' launched at x.cuf:13");
  noteSynchronized(0, /*allStreams=*/true);
  EXPECT_EQ(launchesThatMayHaveFailed(), "");
}

TEST_F(Errors, onlyTheLatestLaunchesAreKept) {
  for (int line = 1; line <= 100; ++line)
    launch(1, line);
  std::string text = launchesThatMayHaveFailed();
  EXPECT_EQ(text.find("x.cuf:92"), std::string::npos);
  EXPECT_NE(text.find("x.cuf:93"), std::string::npos);
  EXPECT_NE(text.find("x.cuf:100"), std::string::npos);
}

TEST_F(Errors, unknownKernelIsReported) {
  EXPECT_EXIT(
      {
        int notAKernel = 0;
        cufortLaunchKernel(&notAKernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, nullptr, "x.cuf", 12);
        std::exit(0);
      },
      ExitedWithCode(1), "x.cuf:12: a kernel could not be launched: cudaErrorInvalidDeviceFunction");
}

TEST_F(Errors, missingDeviceIsReported) {
  EXPECT_EXIT(
      {
        fake::install(false, /*deviceCount=*/0);
        launch(1);
        transfer();
      },
      ExitedWithCode(1), "'increment' could not be launched: cudaErrorNoDevice");
}

TEST_F(Errors, severalThreadsMayFailAtOnce) {
  EXPECT_EXIT(
      {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
          threads.emplace_back([&] {
            launch(2000);
            transfer();
          });
        for (std::thread &thread : threads)
          thread.join();
      },
      ExitedWithCode(1), "could not be launched");
}
