// The prescanned text has a line per statement, in small letters outside of character literals. A specifier is blanked
// out with the comma before it, so that all positions stay true.

#include "frontend/Parse/AlignSpecifiers.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "frontend/Parse/StatementText.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::endOfItem, cufort::frontend::openingOfStatement;
using llvm::StringRef;

namespace {

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
    size_t position = openingOfStatement(line, "allocate");
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
