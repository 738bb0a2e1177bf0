// From the lines that LLVM writes for debuggers (.debug_line) to a CufortLineTable, which is a part of the program's
// memory: the runtime need not find and read the program's file, and stripping leaves the table in it.
//
// Rows are of the section that the code of the image is in. Where a function begins that has no lines, as those of the
// device library, a row without a line ends what comes before.

#include "codegen/DeviceLink/LineTable.h"
#include "codegen/DeviceLink/ObjectSections.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

struct Place {
  unsigned file = 0, line = 0;
  bool operator==(const Place &other) const { return line == other.line && (file == other.file || line == 0); }
};

/// The code that an image is in: a section, and where in it the anchor is.
struct ImageCode {
  object::SectionRef section;
  uint64_t anchor = 0;
};

class LineReader {
public:
  explicit LineReader(const object::ObjectFile &file) : file(file) {}

  /// Returns the contents of the CufortLineTable; nothing if the object has no image.
  std::string read() {
    std::optional<ImageCode> code = findCode();
    if (!code)
      return "";
    readRows(code->section);
    endRowsAtFunctions(code->section);
    return encode(*code, code->section.getSize());
  }

private:
  std::optional<ImageCode> findCode() {
    for (const object::SymbolRef &symbol : file.symbols()) {
      Expected<StringRef> name = symbol.getName();
      if (!name || *name != lineTableAnchor) {
        consumeError(name.takeError());
        continue;
      }
      auto section = symbol.getSection();
      auto address = symbol.getAddress();
      if (section && address && *section != file.section_end())
        return ImageCode{**section, *address};
      consumeError(section.takeError());
      consumeError(address.takeError());
    }
    return std::nullopt;
  }

  void readRows(const object::SectionRef &section) {
    std::unique_ptr<DWARFContext> context = DWARFContext::create(file);
    const DWARFObject &debug = context->getDWARFObj();
    DWARFDataExtractor data(debug, debug.getLineSection(), debug.isLittleEndian(), debug.getAddressSize());
    DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
    auto ignore = [](Error error) { consumeError(std::move(error)); };
    while (!parser.done())
      addRows(parser.parseNext(ignore, ignore), section.getIndex());
  }

  void addRows(const DWARFDebugLine::LineTable &table, uint64_t section) {
    DenseMap<unsigned, unsigned> numbers;
    for (const DWARFDebugLine::Row &row : table.Rows) {
      if (row.Address.SectionIndex != section)
        continue;
      auto [number, isNew] = numbers.try_emplace(row.File);
      if (isNew)
        number->second = numberOf(table, row.File);
      rows[row.Address.Address] = row.EndSequence ? Place() : Place{number->second, row.Line};
    }
  }

  unsigned numberOf(const DWARFDebugLine::LineTable &table, unsigned file) {
    std::string name;
    table.getFileNameByIndex(file, "", DILineInfoSpecifier::FileLineInfoKind::RawValue, name);
    StringRef shortName = sys::path::filename(name);
    auto *known = find(files, shortName);
    if (known == files.end())
      known = files.insert(known, shortName.str());
    return known - files.begin();
  }

  void endRowsAtFunctions(const object::SectionRef &section) {
    for (const object::SymbolRef &symbol : file.symbols()) {
      auto type = symbol.getType();
      auto in = symbol.getSection();
      auto address = symbol.getAddress();
      if (type && in && address && *type == object::SymbolRef::ST_Function && *in != file.section_end() &&
          **in == section)
        rows.try_emplace(*address);
      consumeError(type.takeError());
      consumeError(in.takeError());
      consumeError(address.takeError());
    }
  }

  std::string encode(const ImageCode &code, uint64_t codeBytes) {
    std::string contents(sizeof(CufortLineTable), '\0');
    for (const std::string &name : files)
      contents.append(name).push_back('\0');
    raw_string_ostream out(contents);
    uint64_t address = 0;
    Place last;
    for (const auto &[rowAddress, place] : rows) {
      if (place == last)
        continue;
      bool newFile = place.line && place.file != last.file;
      encodeULEB128((rowAddress - address) << 1 | newFile, out);
      if (newFile)
        encodeULEB128(place.file, out);
      encodeSLEB128(int64_t(place.line) - int64_t(last.line), out);
      address = rowAddress;
      last = {place.line ? place.file : last.file, place.line};
    }
    CufortLineTable header = {uint32_t(contents.size()), uint32_t(codeBytes), uint32_t(code.anchor),
                              uint32_t(files.size())};
    memcpy(contents.data(), &header, sizeof header);
    return contents;
  }

  const object::ObjectFile &file;
  std::map<uint64_t, Place> rows; ///< by address
  SmallVector<std::string> files;
};

} // namespace

Error cufort::codegen::addLineTable(SmallVector<char, 0> &object) {
  std::string table;
  bool hasMore = false;
  {
    auto file = object::ObjectFile::createELFObjectFile(
        MemoryBufferRef(StringRef(object.data(), object.size()), "image object"));
    if (!file)
      return file.takeError();
    table = LineReader(**file).read();
    for (const object::SectionRef &section : (*file)->sections()) {
      Expected<StringRef> name = section.getName();
      hasMore |= name && *name == ".debug_info";
      consumeError(name.takeError());
    }
  }
  if (table.empty())
    return Error::success();
  if (!hasMore)
    excludeSections(object, ".debug_");
  return replaceSection(object, lineTableSection, table, alignof(CufortLineTable));
}
