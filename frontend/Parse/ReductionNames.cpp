#include "frontend/Parse/ReductionNames.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// Local names, and where the USE statement has the function's.
using Renames = std::map<std::string, parser::CharBlock>;

/// True for an intrinsic function that `module` is said to have.
bool isFunction(const std::string &module, const parser::Name &name) {
  std::string function = name.ToString();
  if (module == "cudafor")
    return llvm::is_contained({"sum", "maxval", "minval", "maxloc", "minloc"}, function);
  return module == "cutensorex" &&
         (cufort::frontend::isReduction(function) || cufort::frontend::isArrayFunction(function));
}

/// Takes the functions of one module out of its USE statements.
struct FunctionTaker {
  /// True if `rename` makes another name for one of the functions, which is noted then.
  bool isRenamed(const parser::Rename &rename) {
    const auto *names = std::get_if<parser::Rename::Names>(&rename.u);
    if (!names || !isFunction(module, std::get<1>(names->t)))
      return false;
    renames[std::get<0>(names->t).ToString()] = std::get<1>(names->t).source;
    return true;
  }

  bool isNamed(const parser::Only &only) {
    if (const auto *rename = std::get_if<parser::Rename>(&only.u))
      return isRenamed(*rename);
    if (const auto *name = std::get_if<parser::Name>(&only.u))
      return isFunction(module, *name);
    const auto &generic = std::get<common::Indirection<parser::GenericSpec>>(only.u).value();
    const auto *name = std::get_if<parser::Name>(&generic.u);
    return name && isFunction(module, *name);
  }

  void takeFrom(parser::UseStmt &use) {
    if (auto *list = std::get_if<std::list<parser::Rename>>(&use.u))
      return list->remove_if([&](const parser::Rename &rename) { return isRenamed(rename); });
    auto &only = std::get<std::list<parser::Only>>(use.u);
    only.remove_if([&](const parser::Only &item) { return isNamed(item); });
    if (module == "cutensorex")
      only.push_back(assignment());
  }

  /// What functions of cutensorex return, the module assigns to arrays.
  static parser::Only assignment() {
    static constexpr llvm::StringLiteral name = "assignment(=)";
    parser::GenericSpec generic{parser::GenericSpec::Assignment{}};
    generic.source = parser::CharBlock(name.data(), name.size());
    return parser::Only{common::Indirection<parser::GenericSpec>{std::move(generic)}};
  }

  std::string module;
  Renames &renames;
};

/// Takes the functions out of the USE statements of `specification`.
Renames takeFunctions(parser::SpecificationPart &specification) {
  Renames renames;
  for (auto &statement :
       std::get<std::list<parser::Statement<common::Indirection<parser::UseStmt>>>>(specification.t)) {
    parser::UseStmt &use = statement.statement.value();
    FunctionTaker{use.moduleName.ToString(), renames}.takeFrom(use);
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
