#include "test/unit/runtime/TestImage.h"
#include <cstring>

namespace cufort::rt::fake {

void FatBinaryBuilder::add(CufortFatKind kind, unsigned arch, std::string text, unsigned flags) {
  if (kind == CufortFatPTX)
    text.push_back('\0');
  CufortFatMember header = {uint32_t(kind), arch, flags, 0, 0, text.size(), text.size()};
  members.push_back({header, std::move(text)});
}

void FatBinaryBuilder::addCompressed(CufortFatKind kind, unsigned arch, std::string compressed, size_t size) {
  CufortFatMember header = {uint32_t(kind), arch, 0, 1, 0, compressed.size(), size};
  members.push_back({header, std::move(compressed)});
}

static std::string aligned(std::string bytes) {
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::vector<uint64_t> FatBinaryBuilder::build(uint32_t flags) const {
  CufortFatHeader header = {CUFORT_FAT_MAGIC, 2, uint32_t(members.size()), flags, 0};
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  size_t offset = sizeof header + members.size() * sizeof(CufortFatMember);
  for (const Member &member : members) {
    CufortFatMember entry = member.header;
    entry.offset = offset;
    offset += aligned(member.bytes).size();
    bytes.append(reinterpret_cast<const char *>(&entry), sizeof entry);
  }
  for (const Member &member : members)
    bytes += aligned(member.bytes);
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  reinterpret_cast<CufortFatHeader &>(words[0]).size = words.size() * 8;
  return words;
}

template <typename Item>
static std::string bytesOf(const std::vector<Item> &items) {
  return std::string(reinterpret_cast<const char *>(items.data()), items.size() * sizeof(Item));
}

std::string record(const std::vector<CufortTest> &tests, const std::vector<std::string> &symbols,
                   const Calculation &calculation) {
  std::string body = bytesOf(calculation.steps) + bytesOf(tests) + bytesOf(calculation.values);
  for (const std::string &symbol : symbols)
    body += symbol + '\0';
  body.resize((body.size() + 7) / 8 * 8);
  auto count = [](size_t number) { return static_cast<uint16_t>(number); };
  CufortVersion head = {static_cast<uint32_t>(sizeof head + body.size()),
                        count(tests.size()),
                        count(symbols.size() - 2),
                        count(calculation.steps.size()),
                        count(calculation.values.size()),
                        calculation.kernelParameters,
                        calculation.versionParameters};
  return std::string(reinterpret_cast<const char *>(&head), sizeof head) + body;
}

TestImage::TestImage(uint32_t flags) {
  FatBinaryBuilder builder;
  builder.add(CufortFatPTX, 50, "ptx50");
  fatBinary = builder.build(flags);
  image.abiVersion = CUFORT_ABI_VERSION;
}

void TestImage::versions(std::string records) {
  FatBinaryBuilder builder;
  builder.add(CufortFatPTX, 50, "ptx50");
  builder.add(CufortFatVersions, 50, std::move(records));
  fatBinary = builder.build();
}

TestImage::~TestImage() {
  if (registered)
    cufortUnregisterImage(&image);
}

void *TestImage::kernel(const char *name, unsigned flags) {
  stubs.push_back(0);
  names.push_back(std::string(name) + "_");
  entries.push_back({&stubs.back(), names.back().c_str(), name, 0, CufortEntryKernel, flags});
  return &stubs.back();
}

void TestImage::variable(const char *name, const void *host, size_t size, unsigned flags) {
  names.push_back(std::string(name) + "_");
  entries.push_back({host, names.back().c_str(), name, size, CufortEntryVariable, flags});
}

void TestImage::add() {
  image.fatBinary = reinterpret_cast<const CufortFatHeader *>(fatBinary.data());
  image.entriesBegin = entries.data();
  image.entriesEnd = entries.data() + entries.size();
  cufortRegisterImage(&image);
  registered = true;
}

} // namespace cufort::rt::fake
