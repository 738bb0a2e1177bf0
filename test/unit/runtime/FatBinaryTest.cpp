#include "runtime/Module/FatBinary.h"
#include "test/unit/runtime/TestImage.h"
#include <cstring>
#include <gtest/gtest.h>
#include <zstd.h>

using namespace cufort::rt;
using fake::FatBinaryBuilder;

namespace {

struct Case {
  const char *members; ///< s: cubin, a: arch-specific cubin, p: PTX, q: arch-specific PTX
  int arch;
  const char *expected; ///< "" for none
};

/// Builds a binary from words like "s90 a90 p80", each member's bytes being its word.
std::vector<uint64_t> build(const std::string &words) {
  FatBinaryBuilder builder;
  for (size_t begin = 0; begin < words.size();) {
    size_t end = std::min(words.find(' ', begin), words.size());
    std::string word = words.substr(begin, end - begin);
    bool ptx = word[0] == 'p' || word[0] == 'q', specific = word[0] == 'a' || word[0] == 'q';
    builder.add(ptx ? CufortFatPTX : CufortFatCubin, std::stoi(word.substr(1)), word, specific);
    begin = end + 1;
  }
  return builder.build();
}

FatBinary parse(const std::vector<uint64_t> &words) {
  FatBinary binary;
  Result result = parseFatBinary(reinterpret_cast<const CufortFatHeader *>(words.data()), binary);
  EXPECT_TRUE(result.ok()) << result.message();
  return binary;
}

std::string chosen(const char *members, int arch, bool forcePtx = false) {
  std::vector<uint64_t> words = build(members);
  FatBinary binary = parse(words);
  const CufortFatMember *member = chooseMember(binary, arch, forcePtx);
  MemberImage image;
  if (!member)
    return "";
  Result result = unpackMember(binary, *member, image);
  EXPECT_TRUE(result.ok()) << result.message();
  size_t length = member->kind == CufortFatPTX ? member->size - 1 : member->size;
  return std::string(static_cast<const char *>(image.data), length);
}

/// What parsing says about `words` after `damage` has changed them.
template <typename Damage>
std::string damaged(Damage damage) {
  std::vector<uint64_t> words = build("s90 p80");
  damage(reinterpret_cast<CufortFatHeader &>(words[0]), reinterpret_cast<CufortFatMember *>(&words[3]));
  FatBinary binary;
  Result result = parseFatBinary(reinterpret_cast<const CufortFatHeader *>(words.data()), binary);
  EXPECT_EQ(result.code(), cudaErrorInvalidKernelImage);
  return result.detail();
}

} // namespace

TEST(FatBinary, bestMember) {
  const Case cases[] = {
      {"s90", 90, "s90"},
      {"s80 s86 s90", 86, "s86"},
      {"s80 s86 s90", 89, "s86"},      // same major version, no newer minor one
      {"s86", 80, ""},                 // newer minor version
      {"s80", 90, ""},                 // other major version
      {"s80 p80", 90, "p80"},          // PTX runs on what is newer
      {"p90", 80, ""},                 // but not on what is older
      {"p70 p80 p90", 86, "p80"},      // the newest that fits
      {"s80 p86", 86, "s80"},          // machine code before PTX
      {"a90 s90", 90, "a90"},          // arch-specific on exactly its device
      {"s90 a90", 90, "a90"},          // in any order
      {"a90", 91, ""},                 // and on no other
      {"a90 p90", 100, "p90"},         //
      {"q90 p80", 90, "q90"},          // likewise for PTX
      {"q90 p80", 100, "p80"},         //
      {"s100 s103 p100", 103, "s103"}, // three digits
      {"s100 s103 p100", 110, "p100"}, //
      {"s120 p120", 121, "s120"},      //
      {"", 90, ""},
  };
  for (const Case &test : cases)
    EXPECT_EQ(chosen(test.members, test.arch), test.expected) << test.members << " on " << test.arch;
}

TEST(FatBinary, ptxCanBeForced) {
  EXPECT_EQ(chosen("s90 p80", 90, /*forcePtx=*/true), "p80");
  EXPECT_EQ(chosen("s90", 90, /*forcePtx=*/true), "");
}

TEST(FatBinary, listsWhatItHolds) {
  std::vector<uint64_t> words = build("s80 a90 p90");
  EXPECT_EQ(listMembers(parse(words)), "sm_80, sm_90a, compute_90");
  words = build("");
  EXPECT_EQ(listMembers(parse(words)), "nothing");
}

TEST(FatBinary, damageIsFound) {
  using Header = CufortFatHeader;
  using Member = CufortFatMember;
  EXPECT_NE(damaged([](Header &h, Member *) { h.magic = 1; }).find("magic"), std::string::npos);
  EXPECT_NE(damaged([](Header &h, Member *) { h.version = 7; }).find("version 7"), std::string::npos);
  EXPECT_NE(damaged([](Header &h, Member *) { h.count = 1000; }).find("too short"), std::string::npos);
  EXPECT_NE(damaged([](Header &h, Member *) { h.count = 0xffffffff; }).find("too short"), std::string::npos);
  EXPECT_NE(damaged([](Header &h, Member *) { h.size = 20; }).find("too short"), std::string::npos);
  EXPECT_NE(damaged([](Header &, Member *m) { m[1].offset = 100000; }).find("member 1"), std::string::npos);
  EXPECT_NE(damaged([](Header &, Member *m) { m[0].offset = ~uint64_t(0); }).find("member 0"), std::string::npos);
  EXPECT_NE(damaged([](Header &, Member *m) { m[0].storedSize = ~uint64_t(7); }).find("member 0"), std::string::npos);
  EXPECT_NE(damaged([](Header &, Member *m) { m[0].storedSize = m[0].size = 10000; }).find("member 0"),
            std::string::npos);
  EXPECT_NE(damaged([](Header &, Member *m) { m[0].size += 1; }).find("member 0"), std::string::npos);
}

TEST(FatBinary, mayBeAbsentOrMisplaced) {
  FatBinary binary;
  EXPECT_FALSE(parseFatBinary(nullptr, binary));
  std::vector<uint64_t> words = build("s90");
  const char *inside = reinterpret_cast<const char *>(words.data()) + 4;
  EXPECT_FALSE(parseFatBinary(reinterpret_cast<const CufortFatHeader *>(inside), binary));
}

TEST(FatBinary, flagsAreKept) {
  FatBinaryBuilder builder;
  builder.add(CufortFatPTX, 90, "ptx");
  EXPECT_EQ(parse(builder.build(CufortFatPrints)).flags, unsigned(CufortFatPrints));
  EXPECT_EQ(parse(builder.build()).flags, 0u);
}

namespace {

std::string compress(const std::string &text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

Result unpackCompressed(CufortFatKind kind, const std::string &bytes, size_t size, MemberImage &image) {
  FatBinaryBuilder builder;
  builder.addCompressed(kind, 90, bytes, size);
  std::vector<uint64_t> words = builder.build();
  FatBinary binary = parse(words);
  return unpackMember(binary, binary.members[0], image);
}

} // namespace

TEST(FatBinary, compressedMembersAreUnpacked) {
  std::string text(100000, 'x');
  text += '\0';
  MemberImage image;
  ASSERT_TRUE(unpackCompressed(CufortFatPTX, compress(text), text.size(), image).ok());
  EXPECT_EQ(std::memcmp(image.data, text.data(), text.size()), 0);
}

TEST(FatBinary, damagedCompressionIsFound) {
  std::string text(1000, 'x');
  text += '\0';
  std::string bytes = compress(text);
  MemberImage image;
  EXPECT_FALSE(unpackCompressed(CufortFatPTX, bytes.substr(0, bytes.size() / 2), text.size(), image));
  EXPECT_FALSE(unpackCompressed(CufortFatPTX, "not compressed", text.size(), image));
  EXPECT_FALSE(unpackCompressed(CufortFatPTX, bytes, text.size() + 1, image));
  EXPECT_FALSE(unpackCompressed(CufortFatPTX, bytes, text.size() - 1, image));
  EXPECT_FALSE(unpackCompressed(CufortFatPTX, bytes, 0, image));
}

TEST(FatBinary, ptxMustEndWithNul) {
  std::string text(1000, 'x');
  MemberImage image;
  EXPECT_NE(unpackCompressed(CufortFatPTX, compress(text), text.size(), image).detail().find("NUL"), std::string::npos);
  EXPECT_TRUE(unpackCompressed(CufortFatCubin, compress(text), text.size(), image).ok());
}
