#include "frontend/Parse/ReductionNames.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/ModuleNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>

using namespace Fortran;
using cufort::frontend::ModuleFunctions;
using cufort::frontend::TreeVisitor;

namespace {

/// Where a USE statement has another name of a function, and the function's own.
struct RenamedFunction {
  parser::CharBlock local, intrinsic;
};

/// By the local names.
using Renames = std::map<std::string, RenamedFunction>;

bool isFunctionOfCudafor(llvm::StringRef name) {
  return llvm::is_contained({"sum", "maxval", "minval", "maxloc", "minloc"}, name);
}

/// True for an intrinsic function that `module` is said to have.
bool isFunction(const std::string &module, const parser::Name &name, const ModuleFunctions &ofUsers) {
  std::string function = name.ToString();
  if (module == "cudafor")
    return isFunctionOfCudafor(function);
  if (ofUsers.count({module, function}))
    return true;
  return module == "cutensorex" &&
         (cufort::frontend::isReduction(function) || cufort::frontend::isArrayFunction(function));
}

/// Takes the functions of one module out of its USE statements.
struct FunctionTaker {
  /// True if `rename` makes another name for one of the functions, which is noted then.
  bool isRenamed(const parser::Rename &rename) {
    const auto *names = std::get_if<parser::Rename::Names>(&rename.u);
    if (!names || !isFunction(module, std::get<1>(names->t), ofUsers))
      return false;
    const parser::Name &local = std::get<0>(names->t);
    renames[local.ToString()] = {local.source, std::get<1>(names->t).source};
    return true;
  }

  bool isNamed(const parser::Only &only) {
    if (const auto *rename = std::get_if<parser::Rename>(&only.u))
      return isRenamed(*rename);
    if (const auto *name = std::get_if<parser::Name>(&only.u))
      return isFunction(module, *name, ofUsers);
    const auto &generic = std::get<common::Indirection<parser::GenericSpec>>(only.u).value();
    const auto *name = std::get_if<parser::Name>(&generic.u);
    return name && isFunction(module, *name, ofUsers);
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
  const ModuleFunctions &ofUsers;
  Renames &renames;
};

/// Takes the functions out of the USE statements of `specification`.
Renames takeFunctions(parser::SpecificationPart &specification, const ModuleFunctions &ofUsers) {
  Renames renames;
  for (auto &statement :
       std::get<std::list<parser::Statement<common::Indirection<parser::UseStmt>>>>(specification.t)) {
    parser::UseStmt &use = statement.statement.value();
    FunctionTaker{use.moduleName.ToString(), ofUsers, renames}.takeFrom(use);
  }
  return renames;
}

/// The module of this compiler that has the intrinsic functions: those that modules pass on.
constexpr llvm::StringLiteral functionModule = "cufort_array_functions";

parser::Name nameAt(parser::CharBlock source) { return parser::Name{source, nullptr}; }

/// `use cufort_array_functions, only: name => function, ...` for `renames`, which are not empty. `other` is another USE
/// of the program unit.
parser::Statement<common::Indirection<parser::UseStmt>>
useOf(const Renames &renames, const parser::Statement<common::Indirection<parser::UseStmt>> &other) {
  std::list<parser::Only> list;
  for (const auto &[name, function] : renames)
    list.emplace_back(parser::Rename{parser::Rename::Names{nameAt(function.local), nameAt(function.intrinsic)}});
  parser::CharBlock place = other.statement.value().moduleName.source;
  parser::Statement<common::Indirection<parser::UseStmt>> statement(
      std::nullopt,
      common::Indirection<parser::UseStmt>(parser::UseStmt(std::nullopt, nameAt(place), std::move(list))));
  statement.source = other.source;
  parser::CharBlock name(functionModule.data(), functionModule.size());
  cufort::frontend::nameModule(statement.statement.value(), name, place);
  return statement;
}

struct NameReplacer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit NameReplacer(const Renames &renames) : renames(renames) {}
  void Post(parser::Name &name) {
    auto found = renames.find(name.ToString());
    if (found != renames.end())
      name.source = found->second.intrinsic;
  }
  const Renames &renames;
};

struct UnitFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit UnitFinder(const ModuleFunctions &ofUsers) : ofUsers(ofUsers) {}
  void Post(parser::MainProgram &unit) { replaceIn(unit); }
  void Post(parser::FunctionSubprogram &unit) { replaceIn(unit); }
  void Post(parser::SubroutineSubprogram &unit) { replaceIn(unit); }
  void Post(parser::SeparateModuleSubprogram &unit) { replaceIn(unit); }
  void Post(parser::Module &unit) { replaceInModule(unit); }
  void Post(parser::Submodule &unit) { replaceIn(unit); }
  void Post(parser::BlockConstruct &unit) { replaceIn(unit, std::get<parser::BlockSpecificationPart>(unit.t).v); }

private:
  /// Other program units may have the new names from the module.
  void replaceInModule(parser::Module &module) {
    auto &specification = std::get<parser::SpecificationPart>(module.t);
    Renames renames = takeFunctions(specification, ofUsers);
    if (renames.empty())
      return;
    auto &uses = std::get<std::list<parser::Statement<common::Indirection<parser::UseStmt>>>>(specification.t);
    uses.push_back(useOf(renames, uses.back()));
    NameReplacer replacer(renames);
    if (auto &procedures = std::get<std::optional<parser::ModuleSubprogramPart>>(module.t))
      parser::Walk(*procedures, replacer);
  }

  template <typename Unit>
  void replaceIn(Unit &unit) {
    replaceIn(unit, std::get<parser::SpecificationPart>(unit.t));
  }
  template <typename Unit>
  void replaceIn(Unit &unit, parser::SpecificationPart &specification) {
    Renames renames = takeFunctions(specification, ofUsers);
    if (renames.empty())
      return;
    NameReplacer replacer(renames);
    parser::Walk(unit, replacer);
  }

  const ModuleFunctions &ofUsers;
};

/// True for a module that has more from cudafor than it hides.
bool usesCudafor(const semantics::Scope &module) {
  return llvm::any_of(module, [](const auto &entry) {
    const semantics::Symbol &symbol = *entry.second;
    return symbol.template has<semantics::UseDetails>() && !symbol.attrs().test(semantics::Attr::PRIVATE) &&
           cufort::frontend::isOfCudafor(symbol);
  });
}

} // namespace

bool cufort::frontend::findFunctionsOfUsers(semantics::SemanticsContext &context, ModuleFunctions &functions) {
  size_t known = functions.size();
  for (const parser::Message &message : context.messages().messages()) {
    std::string text = message.ToString();
    auto [name, module] = llvm::StringRef(text).split("' not found in module '");
    if (!name.consume_front("'") || !module.consume_back("'") || !isFunctionOfCudafor(name))
      continue;
    auto found = context.globalScope().find(parser::CharBlock(module.data(), module.size()));
    const semantics::Scope *scope = found == context.globalScope().end() ? nullptr : found->second->scope();
    if (scope && usesCudafor(*scope))
      functions.emplace(module.str(), name.str());
  }
  return functions.size() > known;
}

void cufort::frontend::replaceRenamedReductions(parser::Program &program, const ModuleFunctions &ofUsers) {
  UnitFinder finder(ofUsers);
  parser::Walk(program, finder);
}
