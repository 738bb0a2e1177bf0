#include "frontend/Parse/EmptyExtents.h"
#include "flang/Parser/provenance.h"
#include "frontend/Parse/StatementText.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace Fortran;
using llvm::StringRef;

namespace {

bool isEmpty(StringRef item) { return item.trim(' ').empty(); }

/// The source is ours; only its interface is constant.
char *writable(const char *place) { return const_cast<char *>(place); }

/// Writes a star where the empty `item` of `line` stands, or before that if the text up to there can move into a blank.
void writeStar(StringRef line, StringRef item) {
  if (!item.empty()) {
    *writable(item.data()) = '*';
    return;
  }
  size_t position = item.data() - line.data();
  size_t blank = line.take_front(position).rfind(' ');
  if (blank == StringRef::npos || blank < StringRef("!$cuf kernel").size())
    return;
  std::copy(line.data() + blank + 1, line.data() + position, writable(line.data() + blank));
  *writable(line.data() + position - 1) = '*';
}

/// A directive without chevrons leaves both to the compiler, too.
void dropChevrons(llvm::ArrayRef<StringRef> items) {
  constexpr size_t length = StringRef("<<<").size();
  std::fill(writable(items.front().begin()) - length, writable(items.back().end()) + length, ' ');
}

} // namespace

void cufort::frontend::completeKernelLoopExtents(const parser::CookedSource &source) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    llvm::SmallVector<StringRef> items = itemsOfKernelLoops(line);
    if (items.size() == 2 && llvm::all_of(items, isEmpty))
      dropChevrons(items);
    else if (items.size() > 1)
      for (StringRef item : llvm::ArrayRef(items).take_front(2))
        if (isEmpty(item))
          writeStar(line, item);
  }
}
