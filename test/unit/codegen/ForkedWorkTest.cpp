#include "codegen/Process/ForkedWork.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace llvm;
using cufort::codegen::ForkedWork;

namespace {

SmallVector<char, 0> bytesOf(StringRef text) { return {text.begin(), text.end()}; }

TEST(ForkedWork, ReturnsBytesFromAnotherProcess) {
  int number = 1;
  ForkedWork work([&]() -> ForkedWork::Result {
    number = 2;
    std::string text(100000, 'x');
    text[5] = 0;
    return bytesOf(text);
  });
  auto result = work.wait();
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->size(), 100000u);
  EXPECT_EQ((*result)[5], 0);
  EXPECT_EQ(result->back(), 'x');
  EXPECT_EQ(number, 1);
}

TEST(ForkedWork, NothingIsAResultToo) {
  ForkedWork work([]() -> ForkedWork::Result { return bytesOf(""); });
  auto result = work.wait();
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_TRUE(result->empty());
}

TEST(ForkedWork, ReturnsErrors) {
  ForkedWork work([]() -> ForkedWork::Result { return createStringError("no such thing"); });
  EXPECT_EQ(toString(work.wait().takeError()), "no such thing");
}

TEST(ForkedWork, SpeaksWhenItIsWaitedFor) {
  testing::internal::CaptureStderr();
  ForkedWork given([]() -> ForkedWork::Result {
    errs() << "given up\n";
    return bytesOf("");
  });
  {
    ForkedWork work([]() -> ForkedWork::Result {
      errs() << "from beside\n";
      return bytesOf("");
    });
    errs() << "from here\n";
    cantFail(work.wait());
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "from here\nfrom beside\n");
}

TEST(ForkedWork, EndsWithWhatIsGivenUp) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    ForkedWork work([&]() -> ForkedWork::Result {
      pause();
      return bytesOf("");
    });
  }
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0); // nobody else has the other end
  close(ends[0]);
}

TEST(ForkedWorkDeathTest, ACrashIsACrashOfBoth) {
  auto crash = [] {
    ForkedWork work([]() -> ForkedWork::Result {
      errs() << "about to fail\n";
      raise(SIGKILL);
      return bytesOf("");
    });
    consumeError(work.wait().takeError());
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGKILL), "about to fail");
}

TEST(ForkedWorkDeathTest, AnExitIsAnExitOfBoth) {
  auto end = [] {
    ForkedWork work([]() -> ForkedWork::Result { _exit(3); });
    consumeError(work.wait().takeError());
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(3), "");
}

} // namespace
