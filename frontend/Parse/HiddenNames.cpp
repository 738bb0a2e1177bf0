#include "frontend/Parse/HiddenNames.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor, cufort::frontend::HiddenNames;
using llvm::StringRef;

namespace {

/// The text between the first pair of apostrophes.
StringRef quoted(StringRef text) { return text.split('\'').second.split('\'').first; }

/// The module from which all that `message` calls ambiguous comes, or none.
std::optional<std::string> onlyModule(const parser::Message &message) {
  std::optional<std::string> module;
  for (auto reason = message.attachment(); reason; reason = reason->attachment()) {
    std::string text = reason->ToString();
    auto [name, from] = StringRef(text).split(" was use-associated from module ");
    if (from.empty() || (module && *module != quoted(from)))
      return std::nullopt;
    module = quoted(from).str();
  }
  return module;
}

/// Names live as long as the parse tree, and messages about it.
parser::CharBlock keep(std::string name) {
  static std::set<std::string> names;
  const std::string &kept = *names.insert(std::move(name)).first;
  return parser::CharBlock(kept.data(), kept.size());
}

struct NameHider : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  NameHider(const HiddenNames &hidden, parser::Messages &messages) : hidden(hidden), messages(messages) {}

  void Post(parser::UseStmt &use) {
    auto *renames = std::get_if<std::list<parser::Rename>>(&use.u);
    if (!renames)
      return;
    std::list<parser::Rename> added;
    for (const parser::Rename &rename : *renames)
      if (const auto *names = std::get_if<parser::Rename::Names>(&rename.u))
        hide(use.moduleName, std::get<0>(names->t), added);
    renames->splice(renames->end(), added);
  }

private:
  void hide(const parser::Name &module, const parser::Name &name, std::list<parser::Rename> &added) {
    if (!hidden.count({module.ToString(), name.ToString()}))
      return;
    messages.Say(
        name.source,
        "Module '%s' has a '%s' of its own, which this name hides here; strictly the name is ambiguous"_warn_en_US,
        module.ToString(), name.ToString());
    parser::Name newName{keep("cufort_hidden_" + name.ToString()), nullptr};
    parser::Name oldName{keep(name.ToString()), nullptr};
    added.emplace_back(parser::Rename::Names(std::move(newName), std::move(oldName)));
  }

  const HiddenNames &hidden;
  parser::Messages &messages;
};

} // namespace

bool cufort::frontend::findHiddenNames(parser::Messages &messages, HiddenNames &hidden) {
  bool isNew = false;
  for (const parser::Message &message : messages.messages()) {
    std::string text = message.ToString();
    if (!StringRef(text).starts_with("Reference to '") || !StringRef(text).ends_with("' is ambiguous"))
      continue;
    if (std::optional<std::string> module = onlyModule(message))
      isNew |= hidden.emplace(*module, quoted(text).str()).second;
  }
  return isNew;
}

void cufort::frontend::hideNames(parser::Program &program, const HiddenNames &hidden, parser::Messages &messages) {
  NameHider hider(hidden, messages);
  parser::Walk(program, hider);
}
