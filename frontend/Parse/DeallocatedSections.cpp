#include "frontend/Parse/DeallocatedSections.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "frontend/Parse/StatementText.h"
#include <algorithm>

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// The parentheses at the end of `item` with what is in them, if that is a list of bounds; else empty.
StringRef boundsOf(StringRef item) {
  item = item.rtrim(' ');
  if (!item.ends_with(")"))
    return {};
  int depth = 0;
  bool hasColon = false;
  for (size_t i = item.size(); i-- > 0;) {
    depth += item[i] == ')' ? 1 : item[i] == '(' ? -1 : 0;
    hasColon |= depth == 1 && item[i] == ':';
    if (depth == 0)
      return hasColon ? item.drop_front(i) : StringRef();
  }
  return {};
}

} // namespace

void cufort::frontend::dropDeallocatedBounds(const parser::CookedSource &source, parser::Messages &messages) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    size_t position = openingOfStatement(line, "deallocate");
    while (position < line.size() && line[position] != ')') {
      size_t end = endOfItem(line, position + 1);
      StringRef bounds = boundsOf(line.slice(position + 1, end));
      if (!bounds.empty()) {
        messages.Say(parser::CharBlock(bounds.data(), bounds.size()),
                     "DEALLOCATE takes arrays as a whole: the bounds have no effect"_warn_en_US);
        // The source is ours; only its interface is constant.
        std::fill_n(const_cast<char *>(bounds.data()), bounds.size(), ' ');
      }
      position = end;
    }
  }
}
