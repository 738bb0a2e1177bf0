#include "frontend/Parse/ReductionNames.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

constexpr llvm::StringLiteral functions[] = {"sum", "maxval", "minval", "maxloc", "minloc"};

/// Local names, and where the USE statement has the function's.
using Renames = std::map<std::string, parser::CharBlock>;

bool isFunction(const parser::Name &name) { return llvm::is_contained(functions, llvm::StringRef(name.ToString())); }

/// True if `rename` makes another name for one of the functions, which `renames` notes then.
bool isRenamed(const parser::Rename &rename, Renames &renames) {
  const auto *names = std::get_if<parser::Rename::Names>(&rename.u);
  if (!names || !isFunction(std::get<1>(names->t)))
    return false;
  renames[std::get<0>(names->t).ToString()] = std::get<1>(names->t).source;
  return true;
}

bool isNamed(const parser::Only &only, Renames &renames) {
  if (const auto *rename = std::get_if<parser::Rename>(&only.u))
    return isRenamed(*rename, renames);
  if (const auto *name = std::get_if<parser::Name>(&only.u))
    return isFunction(*name);
  const auto &generic = std::get<common::Indirection<parser::GenericSpec>>(only.u).value();
  const auto *name = std::get_if<parser::Name>(&generic.u);
  return name && isFunction(*name);
}

/// Takes the functions out of the USE statements of `specification`.
Renames takeFunctions(parser::SpecificationPart &specification) {
  Renames renames;
  for (auto &statement :
       std::get<std::list<parser::Statement<common::Indirection<parser::UseStmt>>>>(specification.t)) {
    parser::UseStmt &use = statement.statement.value();
    if (use.moduleName.ToString() != "cudafor")
      continue;
    if (auto *list = std::get_if<std::list<parser::Rename>>(&use.u))
      list->remove_if([&](const parser::Rename &rename) { return isRenamed(rename, renames); });
    else
      std::get<std::list<parser::Only>>(use.u).remove_if(
          [&](const parser::Only &only) { return isNamed(only, renames); });
  }
  return renames;
}

struct NameReplacer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit NameReplacer(const Renames &renames) : renames(renames) {}
  void Post(parser::Name &name) {
    auto found = renames.find(name.ToString());
    if (found != renames.end())
      name.source = found->second;
  }
  const Renames &renames;
};

struct UnitFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::MainProgram &unit) { replaceIn(unit); }
  void Post(parser::FunctionSubprogram &unit) { replaceIn(unit); }
  void Post(parser::SubroutineSubprogram &unit) { replaceIn(unit); }
  void Post(parser::SeparateModuleSubprogram &unit) { replaceIn(unit); }
  void Post(parser::Module &unit) { replaceIn(unit); }
  void Post(parser::Submodule &unit) { replaceIn(unit); }
  void Post(parser::BlockConstruct &unit) { replaceIn(unit, std::get<parser::BlockSpecificationPart>(unit.t).v); }

private:
  template <typename Unit>
  static void replaceIn(Unit &unit) {
    replaceIn(unit, std::get<parser::SpecificationPart>(unit.t));
  }
  template <typename Unit>
  static void replaceIn(Unit &unit, parser::SpecificationPart &specification) {
    Renames renames = takeFunctions(specification);
    if (renames.empty())
      return;
    NameReplacer replacer(renames);
    parser::Walk(unit, replacer);
  }
};

} // namespace

void cufort::frontend::replaceRenamedReductions(parser::Program &program) {
  UnitFinder finder;
  parser::Walk(program, finder);
}
