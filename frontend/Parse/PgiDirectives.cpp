// The prescanner drops a comment unless it knows its sentinel, and has no setting for further ones. The linker lets it
// call `addSentinel` (--wrap, see CMakeLists.txt), where `pgi$` is added to the one that the parser knows. As the two
// have the same length, the text can be changed in its place afterwards, and all positions stay true.

#include "frontend/Parse/PgiDirectives.h"
#include "flang/Parser/provenance.h"
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
  if (sentinel == "dir$")
    flangAddSentinel(prescanner, "pgi$");
  return flangAddSentinel(prescanner, sentinel);
}

void cufort::frontend::translatePgiDirectives(const parser::CookedSource &source) {
  constexpr StringRef pgi = "!pgi$", flang = "!dir$";
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    // The source is ours; only its interface is constant.
    char *text = const_cast<char *>(line.data());
    if (line.starts_with(pgi)) {
      if (line.drop_front(pgi.size()).ltrim().starts_with("ignore_tkr"))
        std::memcpy(text, flang.data(), flang.size());
      else
        std::fill_n(text, line.size(), ' ');
    }
    rest = next;
  }
}
