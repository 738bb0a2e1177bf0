// Older sources give VALUE to dummy arguments as they give them DEVICE. The statement of Fortran 2003 is a part of this
// one, so that the rest can be blanked out, and all positions stay true.

#include "frontend/Parse/ValueStatements.h"
#include "flang/Parser/provenance.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace Fortran;
using llvm::StringRef;

/// Takes `word` and the blanks before it off the front of `text`.
static bool consumeWord(StringRef &text, StringRef word) {
  StringRef rest = text.ltrim(' ');
  if (!rest.consume_front(word))
    return false;
  text = rest;
  return true;
}

void cufort::frontend::translateValueStatements(const parser::CookedSource &source) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    StringRef text = line;
    if (!consumeWord(text, "attributes") || !consumeWord(text, "(") || !consumeWord(text, "value"))
      continue;
    const char *keywordEnd = text.data();
    if (!consumeWord(text, ")"))
      continue;
    // The source is ours; only its interface is constant.
    std::fill(const_cast<char *>(line.data()), const_cast<char *>(keywordEnd) - StringRef("value").size(), ' ');
    std::fill(const_cast<char *>(keywordEnd), const_cast<char *>(text.data()), ' ');
  }
}
