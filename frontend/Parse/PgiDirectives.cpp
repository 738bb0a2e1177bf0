// The prescanner drops a comment unless it knows its sentinel, and has no setting for further ones. The linker lets it
// call `addSentinel` (--wrap, see CMakeLists.txt), where `pgi$` and `nvf$` are added to the one that the parser knows. As
// they have the same length, the text can be changed in its place afterwards, and all positions stay true.

#include "frontend/Parse/PgiDirectives.h"
#include "flang/Parser/provenance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>

using namespace Fortran;
using llvm::StringRef;

namespace Fortran::parser {
class Prescanner;
}

/// Prescanner::AddCompilerDirectiveSentinel.
parser::Prescanner &flangAddSentinel(parser::Prescanner *prescanner, const std::string &sentinel) asm(
    "__real__ZN7Fortran6parser10Prescanner28AddCompilerDirectiveSentinelERKNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEE");

/// What Flang's parser calls in its place.
parser::Prescanner &addSentinel(parser::Prescanner *prescanner, const std::string &sentinel) asm(
    "__wrap__ZN7Fortran6parser10Prescanner28AddCompilerDirectiveSentinelERKNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEE");

parser::Prescanner &addSentinel(parser::Prescanner *prescanner, const std::string &sentinel) {
  if (sentinel == "dir$") {
    flangAddSentinel(prescanner, "pgi$");
    flangAddSentinel(prescanner, "nvf$");
  }
  return flangAddSentinel(prescanner, sentinel);
}

namespace {

constexpr StringRef flangSentinel = "!dir$";

/// Makes `ignore_tkr` of `ignore_tr`, which Flang does not have; the letter takes the place of a blank before it.
void addKind(StringRef line) {
  constexpr StringRef typeAndRank = " ignore_tr ", all = "ignore_tkr ";
  StringRef directive = line.drop_front(flangSentinel.size());
  size_t start = directive.find(typeAndRank);
  if (start == directive.find_first_not_of(' ') - 1)
    std::memcpy(const_cast<char *>(directive.data()) + start, all.data(), all.size());
}

bool isIgnoreDirective(StringRef text) {
  return text.starts_with("ignore_tkr") || text.starts_with("ignore_tr ");
}

/// Makes `unroll 4` of `unroll(4)`, which Flang does not have either.
void openParentheses(StringRef line) {
  StringRef count = line.drop_front(flangSentinel.size()).trim();
  if (!count.consume_front("unroll"))
    return;
  count = count.ltrim();
  if (!count.consume_front("(") || !count.consume_back(")"))
    return;
  StringRef digits = count.trim();
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return;
  const_cast<char *>(count.data())[-1] = ' ';
  const_cast<char *>(count.data())[count.size()] = ' ';
}

} // namespace

void cufort::frontend::translatePgiDirectives(const parser::CookedSource &source) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    // The source is ours; only its interface is constant.
    char *text = const_cast<char *>(line.data());
    bool isOurs = line.starts_with(flangSentinel);
    if (isOurs)
      openParentheses(line);
    if (isOurs || line.starts_with("!pgi$") || line.starts_with("!nvf$")) {
      if (isIgnoreDirective(line.drop_front(flangSentinel.size()).ltrim())) {
        std::memcpy(text, flangSentinel.data(), flangSentinel.size());
        addKind(line);
      } else if (!isOurs) {
        std::fill_n(text, line.size(), ' ');
      }
    }
    rest = next;
  }
}
