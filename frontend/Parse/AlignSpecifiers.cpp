// The prescanned text has a line per statement, in small letters outside of character literals. A specifier is blanked
// out with the comma before it, so that all positions stay true.

#include "frontend/Parse/AlignSpecifiers.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// The position after the character literal that begins at `position`.
size_t endOfLiteral(StringRef line, size_t position) {
  size_t end = line.find(line[position], position + 1);
  return end == StringRef::npos ? line.size() : end + 1;
}

/// The position of the parenthesis that opens the list of an ALLOCATE in `line`, or npos.
size_t openingOfAllocate(StringRef line) {
  constexpr StringRef keyword = "allocate";
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '\'' || line[i] == '"') {
      i = endOfLiteral(line, i);
      continue;
    }
    bool beginsWord = i == 0 || !(llvm::isAlnum(line[i - 1]) || line[i - 1] == '_' || line[i - 1] == '%');
    if (beginsWord && line.drop_front(i).starts_with(keyword)) {
      size_t next = line.find_first_not_of(' ', i + keyword.size());
      if (next != StringRef::npos && line[next] == '(')
        return next;
    }
    ++i;
  }
  return StringRef::npos;
}

/// The end of the item that begins at `position` in a list: the next comma or closing parenthesis outside of others.
size_t endOfItem(StringRef line, size_t position) {
  for (int depth = 0; position < line.size();) {
    char c = line[position];
    if (c == '\'' || c == '"') {
      position = endOfLiteral(line, position);
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')'))
      return position;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    ++position;
  }
  return position;
}

bool isAlign(StringRef item) {
  item = item.ltrim();
  if (!item.consume_front("align"))
    return false;
  item = item.ltrim();
  return item.starts_with("=") && !item.starts_with("==");
}

} // namespace

void cufort::frontend::dropAlignSpecifiers(const parser::CookedSource &source, parser::Messages &messages) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    size_t position = openingOfAllocate(line);
    if (position == StringRef::npos)
      continue;
    for (;;) {
      size_t end = endOfItem(line, position + 1);
      if (isAlign(line.slice(position + 1, end)) && line[position] == ',') {
        size_t begin = line.find("align", position);
        messages.Say(parser::CharBlock(line.data() + begin, 5), "ALIGN= has no effect"_warn_en_US);
        // The source is ours; only its interface is constant.
        std::fill(const_cast<char *>(line.data()) + position, const_cast<char *>(line.data()) + end, ' ');
      }
      if (end >= line.size() || line[end] == ')')
        break;
      position = end;
    }
  }
}
