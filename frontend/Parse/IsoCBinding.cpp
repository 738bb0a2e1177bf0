#include "frontend/Parse/IsoCBinding.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/ModuleNames.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

constexpr char standardName[] = "iso_c_binding";
constexpr char ownName[] = "cufort_iso_c_binding";

/// Collects what the decision needs: the uses, and whether the source defines a module of one of the two names.
struct UseCollector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::ModuleStmt &statement) {
    std::string name = statement.v.ToString();
    definesModule |= name == standardName || name == ownName;
  }
  void Post(parser::UseStmt &statement) {
    bool otherModule = statement.nature == parser::UseStmt::ModuleNature::Non_Intrinsic;
    if (!otherModule && statement.moduleName.ToString() == standardName)
      uses.push_back(&statement);
  }

  std::vector<parser::UseStmt *> uses;
  bool definesModule = false;
};

} // namespace

void cufort::frontend::replaceIsoCBinding(parser::Program &program) {
  UseCollector collector;
  parser::Walk(program, collector);
  if (collector.definesModule)
    return;
  for (parser::UseStmt *use : collector.uses) {
    use->nature = parser::UseStmt::ModuleNature::Intrinsic;
    nameModule(*use, parser::CharBlock(ownName, sizeof(ownName) - 1), use->moduleName.source);
  }
}
