// Names that a USE statement gives away and takes at once.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Modules, and names in them.
using HiddenNames = std::set<std::pair<std::string, std::string>>;

/// Adds to `hidden` what `messages` call ambiguous because `use m, a => a_d` meets an `a` of the same module m, which
/// other compilers take for hidden. Returns true if there was such a name that `hidden` did not have.
bool findHiddenNames(Fortran::parser::Messages &messages, HiddenNames &hidden);

/// Lets USE statements that give another entity a name of `hidden` give what has it in the module a name that nobody
/// writes. Warns there. Run it before names are resolved.
void hideNames(Fortran::parser::Program &program, const HiddenNames &hidden, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
