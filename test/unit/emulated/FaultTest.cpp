// Faults and traps of device code end the launch with an error and a message, and the process goes on.
#include "runtime/Emulated/FiberStack.h"
#include "test/unit/emulated/EmulatedTest.h"
#include <csignal>
#include <cstring>
#include <thread>

namespace cufort::rt::emulated {
namespace {

class Fault : public EmulatedTest {
protected:
  /// Expects `kernel` to fail with `code` and a message of which `message` is the part behind "cufort: kernel 'k': ".
  void expectFailure(ThreadFunction kernel, const Shape &shape, CUresult code, const std::string &message,
                     std::vector<void *> params = {}, const KernelTraits &traits = {}) {
    std::string output;
    EXPECT_EQ(launchAndCapture(output, kernel, shape, std::move(params), traits), code);
    EXPECT_EQ(output, "cufort: kernel 'k': " + message + "\n");
  }
};

// Not a constant to the compiler, which would warn.
volatile int *volatile forbidden = reinterpret_cast<volatile int *>(0x10);

void writeToForbidden(void **) {
  if (blockNumber() == 3 && threadNumber() == 40)
    *forbidden = 1;
}

TEST_F(Fault, InvalidAddress) {
  expectFailure(writeToForbidden, {5, 64}, CUDA_ERROR_ILLEGAL_ADDRESS,
                "faulted at address 0x10, as for an array that is not allocated (block (4,1,1), thread (41,1,1))");
}

// The launch itself succeeds.
TEST_F(Fault, IsTheResultOfTheCallsAfterTheLaunch) {
  TestImage image(writeToForbidden);
  CUmodule module;
  CUfunction function;
  ASSERT_EQ(driver.moduleLoadDataEx(&module, image.image(), 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(driver.moduleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver.launchKernel(function, 5, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(driver.streamQuery(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Fault, TheErrorStaysUntilTheContextIsReset) {
  std::string output;
  CUdeviceptr memory;
  CUevent event;
  EXPECT_EQ(launchAndCapture(output, writeToForbidden, {5, 64}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver.ctxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver.memAlloc(&memory, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver.eventCreate(&event, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver.streamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launchAndCapture(output, writeToForbidden, {1, 1}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(output, "") << "nothing is launched any more";
  restart();
  EXPECT_EQ(driver.memAlloc(&memory, 16), CUDA_SUCCESS);
  EXPECT_EQ(launch(writeToForbidden, {1, 1}), CUDA_SUCCESS);
}

void impossibleAddress(void **) { *reinterpret_cast<volatile char *>(0x8000'0000'0000'0000) = 1; }

TEST_F(Fault, AddressThatCannotExist) {
  expectFailure(impossibleAddress, {1, 1}, CUDA_ERROR_ILLEGAL_ADDRESS,
                "faulted at an address that cannot exist (block (1,1,1), thread (1,1,1))");
}

// The others of the block wait at a barrier when one faults, with fibers of their own.
void faultAmongWaiting(void **) {
  if (threadNumber() == 100)
    *forbidden = 1;
  cufortEmuBarrier("fault:1");
}

TEST_F(Fault, WhileOthersWait) {
  for (int i = 0; i < 3; ++i) {
    expectFailure(faultAmongWaiting, {1, 200}, CUDA_ERROR_ILLEGAL_ADDRESS,
                  "faulted at address 0x10, as for an array that is not allocated (block (1,1,1), thread (101,1,1))");
    restart();
  }
}

// The sanitizers' own check of divisions would come first.
__attribute__((no_sanitize("undefined"))) void divide(void **params) {
  volatile int *number = param<int *>(params, 0);
  number[0] = number[1] / number[2];
}

TEST_F(Fault, IntegerDivisionByZero) {
  int numbers[] = {0, 1, 0}, *pointer = numbers;
  expectFailure(divide, {1, 1}, CUDA_ERROR_ILLEGAL_ADDRESS,
                "faulted: integer division by zero or overflow (block (1,1,1), thread (1,1,1))", {&pointer});
}

void illegalInstruction(void **) { __builtin_trap(); }

TEST_F(Fault, IllegalInstruction) {
  expectFailure(illegalInstruction, {1, 1}, CUDA_ERROR_LAUNCH_FAILED,
                "executed a trap (block (1,1,1), thread (1,1,1))");
}

void loopFaults(void **, const CufortEmuBlocks *) { *forbidden = 1; }

TEST_F(Fault, InCompiledLoops) {
  KernelTraits traits;
  traits.blocks = loopFaults;
  expectFailure(
      writeToForbidden, {5, 64}, CUDA_ERROR_ILLEGAL_ADDRESS,
      "faulted at address 0x10, as for an array that is not allocated; CUFORT_CHECK=1 names the block and thread", {},
      traits);
  set("CUFORT_CHECK", "1");
  restart();
  expectFailure(writeToForbidden, {5, 64}, CUDA_ERROR_ILLEGAL_ADDRESS,
                "faulted at address 0x10, as for an array that is not allocated (block (4,1,1), thread (41,1,1))", {},
                traits);
}

void stop(void **) {
  if (blockNumber() == 1 && threadNumber() == 2)
    cufortEmuTrap("error stop 7", "x.cuf:44");
}

__attribute__((noinline)) int recurse(int depth, volatile char *outer) {
  volatile char frame[512];
  frame[depth % 512] = outer[0];
  return depth == 0 ? frame[0] : recurse(depth - 1, frame) + frame[depth % 512];
}

void deepInSecondThread(void **params) {
  char zero = 0;
  if (threadNumber() == 1)
    recurse(param<int>(params, 0), &zero);
  cufortEmuBarrier("deep:1");
}

TEST_F(Fault, StackOverflow) {
  int depth = 100000;
  for (int i = 0; i < 2; ++i) {
    expectFailure(
        deepInSecondThread, {1, 3}, CUDA_ERROR_HARDWARE_STACK_ERROR,
        "a device thread used up its stack of 128 KB (block (1,1,1), thread (2,1,1)); CUFORT_EMULATED_STACK or "
        "cudaLimitStackSize makes it larger",
        {&depth});
    restart();
  }
}

// Without a guard area an overflow is noticed when the thread ends, or when nothing lies below the stack.
TEST_F(Fault, StackOverflowWithoutAGuardArea) {
  long limit = limitGuardedStacks(0);
  set("CUFORT_EMULATED_STACK", "48K"); // new stacks
  int depth = 80;
  std::string message;
  CUresult result = CUDA_SUCCESS;
  while (result == CUDA_SUCCESS && depth < 200) {
    depth += 2;
    result = launchAndCapture(message, deepInSecondThread, {1, 3}, {&depth});
  }
  EXPECT_EQ(result, CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_EQ(message.find("cufort: kernel 'k': a device thread used up its stack of 48 KB (block (1,1,1), thread"), 0u)
      << message;
  limitGuardedStacks(limit);
  restart();
  set("CUFORT_EMULATED_STACK", "128K");
  ASSERT_EQ(launch(stop, {1, 1}), CUDA_SUCCESS) << "guarded stacks again";
}

TEST_F(Fault, StackSizeFromTheEnvironmentAndTheLimit) {
  int depth = 300; // some 200 KB
  set("CUFORT_EMULATED_STACK", "1M");
  EXPECT_EQ(launch(deepInSecondThread, {1, 3}, {&depth}), CUDA_SUCCESS);
  set("CUFORT_EMULATED_STACK", "16K");
  ASSERT_EQ(driver.ctxSetLimit(CU_LIMIT_STACK_SIZE, 500 << 10), CUDA_SUCCESS);
  EXPECT_EQ(launch(deepInSecondThread, {1, 3}, {&depth}), CUDA_SUCCESS);
}

TEST_F(Fault, Trap) {
  expectFailure(stop, {2, 3}, CUDA_ERROR_LAUNCH_FAILED, "error stop 7 at x.cuf:44 (block (2,1,1), thread (3,1,1))");
}

void stopWithoutPlace(void **) { cufortEmuTrap(nullptr, nullptr); }

TEST_F(Fault, TrapWithoutText) {
  expectFailure(stopWithoutPlace, {1, 1}, CUDA_ERROR_LAUNCH_FAILED, "trap (block (1,1,1), thread (1,1,1))");
}

void everyThreadFaults(void **) { *forbidden = 1; }

TEST_F(Fault, OnlyTheFirstOfManyIsReported) {
  set("CUFORT_EMULATED_THREADS", "4");
  std::string output;
  EXPECT_EQ(launchAndCapture(output, everyThreadFaults, {5000, 32}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
}

void printBadString(void **) {
  struct {
    const char *string;
  } arguments = {reinterpret_cast<const char *>(0x20)};
  cufortEmuVprintf("%s\n", &arguments);
}

TEST_F(Fault, StringArgumentOfAPrint) {
  expectFailure(printBadString, {1, 1}, CUDA_ERROR_ILLEGAL_ADDRESS,
                "faulted at address 0x20, as for an array that is not allocated (block (1,1,1), thread (1,1,1))");
}

// A fault of the host's own is none of the device's: the process dies of it as ever.
TEST_F(Fault, OfTheHostItself) {
  ASSERT_EQ(launch(stop, {1, 1}), CUDA_SUCCESS);
  EXPECT_DEATH(*forbidden = 1, "");
}

sig_atomic_t hostHandlerRan;

void hostHandler(int) { ++hostHandlerRan; }

// Signals that somebody sends, and handlers that were there first, keep working after kernels ran.
TEST_F(Fault, SignalsSentToTheProcess) {
  ASSERT_EQ(launch(stop, {1, 1}), CUDA_SUCCESS);
  struct sigaction mine = {}, before;
  mine.sa_handler = hostHandler;
  hostHandlerRan = 0;
  sigaction(SIGUSR1, &mine, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(hostHandlerRan, 1);
  EXPECT_DEATH(raise(SIGSEGV), "");
}

} // namespace
} // namespace cufort::rt::emulated
