// Flang's lowering gives these directives to loops whose body does not branch. The others are found by where they are.

#include "frontend/Parse/UnrollDirectives.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// How many copies of a round `directive` asks for, 0 for as many as there are rounds; nothing if it is about something
/// else.
std::optional<std::uint64_t> copiesOf(const parser::CompilerDirective &directive) {
  if (const auto *unroll = std::get_if<parser::CompilerDirective::Unroll>(&directive.u))
    return unroll->v.value_or(0);
  if (std::holds_alternative<parser::CompilerDirective::NoUnroll>(directive.u))
    return 1;
  return std::nullopt;
}

struct DirectiveFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit DirectiveFinder(const parser::AllCookedSources &sources) : sources(sources) {}

  bool Pre(const parser::ExecutableConstruct &construct) {
    if (const auto *directive = std::get_if<common::Indirection<parser::CompilerDirective>>(&construct.u)) {
      if (auto copies = copiesOf(directive->value()))
        pending = copies;
      return false;
    }
    const auto *loop = std::get_if<common::Indirection<parser::DoConstruct>>(&construct.u);
    if (auto copies = std::exchange(pending, std::nullopt); copies && loop)
      note(std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->value().t).source, *copies);
    return true;
  }

  void note(parser::CharBlock statement, std::uint64_t copies) {
    auto range = sources.GetSourcePositionRange(statement);
    if (range)
      found.push_back((llvm::sys::path::filename(*range->first.path) + ":" + llvm::Twine(range->first.line) + ":" +
                       llvm::Twine(copies))
                          .str());
  }

  const parser::AllCookedSources &sources;
  std::optional<std::uint64_t> pending; ///< of the directive before the next construct
  std::vector<std::string> found;
};

} // namespace

std::vector<std::string> cufort::frontend::unrollDirectives(const parser::Program &program,
                                                            const parser::AllCookedSources &sources) {
  DirectiveFinder finder(sources);
  parser::Walk(program, finder);
  return std::move(finder.found);
}
