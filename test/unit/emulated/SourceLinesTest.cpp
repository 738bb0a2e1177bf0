// The table of lines of an image: which line an address belongs to.
#include "runtime/Emulated/SourceLines.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace cufort::rt::emulated {
namespace {

char code[400];

class SourceLinesTest : public testing::Test {
protected:
  SourceLinesTest() {
    // From byte 16 on line 10 of a.cuf, from 20 on line 300 of it, from 148 on line 7 of b.inc, from 150 on no line,
    // from 160 on line 7 of b.inc again.
    const char rows[] = {16 << 1 | 1, 0,          10,   4 << 1, char(0xa2), 2,       char(0x81), 2,
                         1,           char(0xdb), 0x7d, 2 << 1, 0x79,       10 << 1, 7};
    const char names[] = "a.cuf\0b.inc";
    CufortLineTable header = {uint32_t(sizeof header + sizeof names + sizeof rows), 300, 40, 2};
    append(&header, sizeof header);
    append(names, sizeof names);
    append(rows, sizeof rows);
    image.emuLines = reinterpret_cast<const CufortLineTable *>(table.data());
    image.emuCode = code + 40;
  }

  void append(const void *bytes, size_t count) {
    size_t at = length;
    length += count;
    table.resize((length + 3) / 4);
    memcpy(reinterpret_cast<char *>(table.data()) + at, bytes, count);
  }

  std::string at(size_t offset) {
    SourcePlace place = SourceLines(image).find(reinterpret_cast<uintptr_t>(code) + offset);
    return place.file ? std::string(place.file) + ":" + std::to_string(place.line) : "";
  }

  std::vector<uint32_t> table;
  size_t length = 0;
  CufortImage image = {};
};

TEST_F(SourceLinesTest, RowsReachToTheNextOne) {
  EXPECT_EQ(at(16), "a.cuf:10");
  EXPECT_EQ(at(19), "a.cuf:10");
  EXPECT_EQ(at(20), "a.cuf:300");
  EXPECT_EQ(at(147), "a.cuf:300");
  EXPECT_EQ(at(148), "b.inc:7");
  EXPECT_EQ(at(299), "b.inc:7");
}

TEST_F(SourceLinesTest, CodeWithoutLine) {
  EXPECT_EQ(at(0), "");
  EXPECT_EQ(at(15), "");
  EXPECT_EQ(at(150), "");
  EXPECT_EQ(at(159), "");
  EXPECT_EQ(at(160), "b.inc:7");
}

TEST_F(SourceLinesTest, OtherCode) {
  EXPECT_EQ(at(300), "");
  EXPECT_EQ(at(size_t(-1)), "");
}

TEST_F(SourceLinesTest, ImageWithoutTable) {
  EXPECT_EQ(SourceLines().find(reinterpret_cast<uintptr_t>(code)).file, nullptr);
  table[0] = 0;
  EXPECT_EQ(at(20), "");
  image.emuLines = nullptr;
  EXPECT_EQ(at(20), "");
}

} // namespace
} // namespace cufort::rt::emulated
