#include "driver/Options/Words.h"
#include "driver/Options/Errors.h"
#include "driver/Options/Messages.h"
#include <gtest/gtest.h>

using namespace cufort::driver;

namespace {

TEST(Words, SplitsListsWithoutEmptyPieces) {
  EXPECT_EQ(splitList("a,,b, c ,").size(), 3u);
  EXPECT_EQ(splitList("a,,b, c ,")[2], "c");
  EXPECT_TRUE(splitList("").empty());
  EXPECT_TRUE(splitList(",,").empty());
  EXPECT_EQ(splitList("a:b,c", ",:").size(), 3u);
}

TEST(Words, FindsTheNearest) {
  llvm::StringRef known[] = {"cc80", "cc90", "fastmath", "managed"};
  EXPECT_EQ(nearestWord("cc9O", known), "cc90");
  EXPECT_EQ(nearestWord("FASTMATH", known), "fastmath");
  EXPECT_EQ(nearestWord("manged", known), "managed");
  EXPECT_EQ(nearestWord("qqqqqq", known), "");
  EXPECT_EQ(nearestWord("x", known), "");
  EXPECT_EQ(nearestWord("foo", {"fma", "f95"}), "");
}

TEST(Messages, ExitStatusTellsKindsOfErrorsApart) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Messages messages("cufort", stream);
  EXPECT_EQ(messages.report(llvm::Error::success()), 0);
  EXPECT_EQ(messages.report(alreadyReported()), 1);
  EXPECT_EQ(text, "");
  EXPECT_EQ(messages.report(failure("it failed")), 1);
  EXPECT_EQ(messages.report(usageError("it is wrong")), 2);
  EXPECT_EQ(text, "cufort: error: it failed\ncufort: error: it is wrong\n");
}

TEST(Messages, SaysAWarningOnce) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Messages messages("cufort", stream);
  messages.warning("careful");
  messages.warning("careful");
  EXPECT_EQ(text, "cufort: warning: careful\n");
  messages.disableWarnings();
  messages.warning("another");
  EXPECT_EQ(text, "cufort: warning: careful\n");
}

} // namespace
