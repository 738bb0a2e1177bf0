#include "runtime/Emulated/SourceLines.h"
#include <cstring>

namespace cufort::rt::emulated {

namespace {

/// Reads numbers in LEB128, and names.
class TableReader {
public:
  TableReader(const char *begin, const char *end) : next(begin), end(end) {}

  bool atEnd() const { return next >= end; }

  uint64_t readUnsigned() {
    uint64_t value = 0;
    unsigned char byte = 0x80;
    for (shift = 0; (byte & 0x80) && !atEnd() && shift < 64; shift += 7) {
      byte = static_cast<unsigned char>(*next++);
      value |= uint64_t(byte & 0x7f) << shift;
    }
    negative = byte & 0x40;
    return value;
  }

  int64_t readSigned() {
    uint64_t value = readUnsigned();
    return int64_t(negative && shift < 64 ? value | ~uint64_t(0) << shift : value);
  }

  const char *readName() {
    const char *name = next;
    next += strnlen(name, size_t(end - name)) + 1;
    return name;
  }

private:
  const char *next, *end;
  unsigned shift = 0; ///< bits of the number that was read last
  bool negative = false;
};

} // namespace

SourceLines::SourceLines(const CufortImage &image)
    : table(image.emuLines && image.emuLines->bytes ? image.emuLines : nullptr) {
  if (table)
    codeBegin = reinterpret_cast<uintptr_t>(image.emuCode) - table->anchor;
}

static TableReader readerOf(const CufortLineTable &table) {
  auto *begin = reinterpret_cast<const char *>(&table);
  return {begin + sizeof table, begin + table.bytes};
}

const char *SourceLines::fileName(uint64_t number) const {
  TableReader reader = readerOf(*table);
  while (number-- > 0)
    reader.readName();
  return reader.readName();
}

SourcePlace SourceLines::find(uintptr_t address) const {
  if (!table || address - codeBegin >= table->codeBytes)
    return {};
  TableReader reader = readerOf(*table);
  for (uint32_t i = 0; i < table->fileCount; ++i)
    reader.readName();
  uint64_t end = codeBegin, file = 0;
  int64_t line = 0;
  while (!reader.atEnd()) {
    uint64_t step = reader.readUnsigned();
    end += step >> 1;
    if (end > address)
      break;
    if (step & 1)
      file = reader.readUnsigned();
    line += reader.readSigned();
  }
  if (line <= 0 || file >= table->fileCount)
    return {};
  return {fileName(file), uint32_t(line)};
}

} // namespace cufort::rt::emulated
