#include "frontend/Parse/DeallocatedSections.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "frontend/Parse/StatementText.h"
#include <algorithm>

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// True for the beginning of STAT= and its like.
bool isOption(StringRef item) { return item.contains('='); }

/// The parentheses at the end of `item` with what is in them, behind the name of an array; else empty.
StringRef boundsOf(StringRef item) {
  item = item.rtrim(' ');
  if (!item.ends_with(")"))
    return {};
  int depth = 0;
  for (size_t i = item.size(); i-- > 0;) {
    depth += item[i] == ')' ? 1 : item[i] == '(' ? -1 : 0;
    if (depth == 0)
      return isOption(item.take_front(i)) ? StringRef() : item.drop_front(i);
  }
  return {};
}

/// The parenthesis that opens the list of a DEALLOCATE statement in `line`, or npos. A procedure may have the name.
size_t openingOfDeallocate(StringRef line) {
  constexpr StringRef keyword = "deallocate";
  size_t position = cufort::frontend::openingOfStatement(line, keyword);
  if (position == StringRef::npos)
    return position;
  StringRef before = line.take_front(position).rtrim(' ').drop_back(keyword.size()).rtrim(' ');
  bool beginsStatement = before.empty() || before.ends_with(")") || before.ends_with(";") ||
                         before.find_first_not_of(" 0123456789") == StringRef::npos;
  return beginsStatement ? position : StringRef::npos;
}

} // namespace

void cufort::frontend::dropDeallocatedBounds(const parser::CookedSource &source, parser::Messages &messages) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    size_t position = openingOfDeallocate(line);
    while (position < line.size() && line[position] != ')') {
      size_t end = endOfItem(line, position + 1);
      StringRef bounds = boundsOf(line.slice(position + 1, end));
      if (!bounds.empty()) {
        messages.Say(parser::CharBlock(bounds.data(), bounds.size()),
                     "DEALLOCATE takes arrays as a whole: what is in parentheses has no effect"_warn_en_US);
        // The source is ours; only its interface is constant.
        std::fill_n(const_cast<char *>(bounds.data()), bounds.size(), ' ');
      }
      position = end;
    }
  }
}
