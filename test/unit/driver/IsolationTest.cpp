#include "driver/Jobs/Isolation.h"
#include "driver/Jobs/CrashReport.h"
#include "driver/Jobs/Progress.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cufort::driver;

namespace {

ChildResult run(llvm::function_ref<int()> body, ChildOptions options = {}) {
  llvm::Expected<Child> child = Child::startBody(body, options);
  EXPECT_TRUE(static_cast<bool>(child));
  return child->wait();
}

TEST(Isolation, ReturnsTheStatusAndTheMessages) {
  ChildResult result = run([] {
    llvm::errs() << "hello\n";
    return 7;
  });
  EXPECT_TRUE(result.completed);
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.messages, "hello\n");
}

TEST(Isolation, ACrashIsAResult) {
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGKILL, SIGTERM}) {
    ChildResult result = run([&] { return raise(signal); });
    EXPECT_FALSE(result.completed) << signal;
    EXPECT_EQ(result.signal, signal);
  }
}

TEST(Isolation, ExitIsNotReturn) {
  ChildResult result = run([]() -> int { std::exit(0); });
  EXPECT_FALSE(result.completed);
}

TEST(Isolation, KnowsWhatWasBeingDone) {
  ChildResult result = run([]() -> int {
    noteProgress("parsing", "a.cuf", 1);
    noteProgress("lowering subroutine 'k'", "a.cuf", 12);
    std::abort();
  });
  EXPECT_EQ(result.activity, "lowering subroutine 'k'");
  EXPECT_EQ(result.file, "a.cuf");
  EXPECT_EQ(result.line, 12u);
}

TEST(Isolation, CutsLongNotes) {
  ChildResult result = run([]() -> int {
    noteProgress(std::string(100000, 'x'), std::string(100000, 'y'), 1);
    std::abort();
  });
  EXPECT_LT(result.activity.size(), 1000u);
  EXPECT_GT(result.activity.size(), 100u);
}

TEST(Isolation, NotingOutsideAChildDoesNothing) { noteProgress("resting"); }

TEST(Isolation, LimitsProcessorTime) {
  ChildOptions options;
  options.timeLimit = 1;
  ChildResult result = run(
      []() -> int {
        for (volatile unsigned count = 0;; count = count + 1) {
        }
      },
      options);
  EXPECT_TRUE(result.outOfTime);
}

TEST(Isolation, MemoryIsLimited) {
  ChildResult result = run([]() -> int {
    // Eight times half of the machine's memory, never touched: without a limit most kernels give it.
    size_t half = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)) / 2;
    for (int count = 0; count < 8; ++count) {
      void *volatile memory = std::malloc(half);
      if (!memory)
        return 42;
    }
    return 1;
  });
  EXPECT_EQ(result.status, 42);
}

TEST(Isolation, ProgramsAreRunToo) {
  llvm::Expected<Child> child = Child::startProgram({"/bin/sh", "-c", "echo oops >&2; exit 3"}, {});
  ASSERT_TRUE(static_cast<bool>(child));
  ChildResult result = child->wait();
  EXPECT_TRUE(result.completed);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.messages, "oops\n");
}

TEST(Isolation, AMissingProgramIsAMessage) {
  llvm::Expected<Child> child = Child::startProgram({"/no/such/program"}, {});
  ASSERT_TRUE(static_cast<bool>(child));
  ChildResult result = child->wait();
  EXPECT_EQ(result.status, 127);
  EXPECT_EQ(result.messages, "cannot run '/no/such/program': No such file or directory\n");
}

TEST(Isolation, ChildrenDoNotReadOurInput) {
  llvm::Expected<Child> child = Child::startProgram({"/bin/cat"}, {});
  ASSERT_TRUE(static_cast<bool>(child));
  EXPECT_EQ(child->wait().status, 0);
}

/// Returns the number in the file at `path` as soon as there is one, or 0 after two seconds.
int waitForNumber(const char *path) {
  for (int tries = 0; tries < 100; ++tries) {
    FILE *in = std::fopen(path, "r");
    int number = 0;
    bool found = in && std::fscanf(in, "%d", &number) == 1;
    if (in)
      std::fclose(in);
    if (found)
      return number;
    usleep(20000);
  }
  return 0;
}

/// Returns true if process `pid` has a command line: one that has ended and nobody has waited for has none.
bool isRunning(int pid) {
  int file = open(("/proc/" + std::to_string(pid) + "/cmdline").c_str(), O_RDONLY);
  char byte;
  bool running = file >= 0 && read(file, &byte, 1) == 1;
  if (file >= 0)
    close(file);
  return running;
}

TEST(Isolation, DestructionEndsTheWholeGroup) {
  char file[] = "/tmp/cufort-test-XXXXXX";
  close(mkstemp(file));
  int grandchild = 0;
  {
    std::string script = "sleep 60 & echo $! > " + std::string(file) + "; wait";
    llvm::Expected<Child> child = Child::startProgram({"/bin/sh", "-c", script}, {});
    ASSERT_TRUE(static_cast<bool>(child));
    grandchild = waitForNumber(file);
    ASSERT_NE(grandchild, 0);
    EXPECT_TRUE(isRunning(grandchild));
  }
  unlink(file);
  for (int tries = 0; tries < 100 && isRunning(grandchild); ++tries)
    usleep(20000);
  EXPECT_FALSE(isRunning(grandchild));
}

TEST(Isolation, WhatAChildLeavesRunningIsEnded) {
  char file[] = "/tmp/cufort-test-XXXXXX";
  close(mkstemp(file));
  std::string script = "sleep 60 & echo $! > " + std::string(file);
  llvm::Expected<Child> child = Child::startProgram({"/bin/sh", "-c", script}, {});
  ASSERT_TRUE(static_cast<bool>(child));
  EXPECT_EQ(child->wait().status, 0);
  int grandchild = waitForNumber(file);
  ASSERT_NE(grandchild, 0);
  unlink(file);
  for (int tries = 0; tries < 100 && isRunning(grandchild); ++tries)
    usleep(20000);
  EXPECT_FALSE(isRunning(grandchild));
}

ChildResult crash(std::string messages, std::string activity = "", int signal = SIGABRT) {
  ChildResult result;
  result.signal = signal;
  result.messages = std::move(messages);
  result.activity = std::move(activity);
  return result;
}

TEST(CrashReport, KeepsWhatIsMeantForTheUser) {
  EXPECT_EQ(userMessages("a.f90:1: warning: w\nfatal internal error: CHECK(x) failed at f.cpp(1)\n"),
            "a.f90:1: warning: w\n");
  EXPECT_EQ(userMessages("a.f90:1: warning: w\n"), "a.f90:1: warning: w\n");
  EXPECT_EQ(userMessages("LLVM ERROR: x\n"), "");
}

TEST(CrashReport, SaysWhatItWasDoing) {
  EXPECT_EQ(describeCrash(crash("", "lowering"), "a.cuf", false),
            "a.cuf: cufort cannot compile this yet (internal error while lowering); please report it");
  EXPECT_EQ(describeCrash(crash(""), "a.out", true),
            "a.out: cufort cannot finish this device code yet (internal error); please report it");
  EXPECT_EQ(describeCrash(crash("error: x.cpp:1: not yet implemented: coarrays\n", "lowering"), "a.cuf", false),
            "a.cuf: cufort cannot compile this yet (not supported: coarrays); please report it");
  EXPECT_EQ(
      describeCrash(crash("w\na.cuf:3:9: error: x.cpp:1: not yet implemented: SCAN\n  !$omp scan\n"), "a.cuf", false),
      "a.cuf:3:9: cufort cannot compile this yet (not supported: SCAN); please report it");
  EXPECT_EQ(describeCrash(crash("", "", SIGKILL), "a.cuf", false),
            "a.cuf: cufort cannot compile this yet (killed, probably for want of memory); please report it");
}

} // namespace
