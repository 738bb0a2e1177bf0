#include "frontend/Checks/ModuleCycles.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// A module and the places at which it or its procedures name what they use.
struct ModuleUses {
  std::string name;
  std::vector<parser::CharBlock> used;
};

struct UseCollector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::Module &module) {
    modules.push_back({std::get<0>(module.t).statement.v.ToString(), {}});
    inModule = true;
    return true;
  }
  void Post(const parser::Module &) { inModule = false; }
  void Post(const parser::UseStmt &use) {
    if (inModule && use.nature != parser::UseStmt::ModuleNature::Intrinsic)
      modules.back().used.push_back(use.moduleName.source);
  }

  std::vector<ModuleUses> modules;
  bool inModule = false;
};

/// The modules between a module and itself.
class CycleFinder {
public:
  explicit CycleFinder(const std::vector<ModuleUses> &modules) : modules(modules), seen(modules.size()) {}

  /// True if `from` leads to the module `to`; `between` begins with `from` and names the others on the way.
  bool leadsTo(const std::string &from, const std::string &to, std::vector<std::string> &between) {
    if (from == to)
      return true;
    auto module = llvm::find_if(modules, [&](const ModuleUses &each) { return each.name == from; });
    if (module == modules.end() || seen[module - modules.begin()])
      return false;
    seen[module - modules.begin()] = true;
    between.push_back(from);
    if (llvm::any_of(module->used, [&](parser::CharBlock next) { return leadsTo(next.ToString(), to, between); }))
      return true;
    between.pop_back();
    return false;
  }

private:
  const std::vector<ModuleUses> &modules;
  std::vector<bool> seen;
};

} // namespace

bool cufort::frontend::checkModuleCycles(const parser::Program &program, parser::Messages &messages) {
  UseCollector collector;
  parser::Walk(program, collector);
  bool found = false;
  for (const ModuleUses &module : collector.modules)
    for (parser::CharBlock used : module.used) {
      std::vector<std::string> between;
      if (!CycleFinder(collector.modules).leadsTo(used.ToString(), module.name, between))
        continue;
      found = true;
      if (between.empty())
        messages.Say(used, "Module '%s' cannot use itself"_err_en_US, module.name);
      else
        messages.Say(used, "Module '%s' cannot use '%s', which uses '%s'"_err_en_US, module.name,
                     llvm::join(between, "', which uses '"), module.name);
    }
  return !found;
}
