#include "frontend/Parse/IsoCBinding.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/TreeVisitor.h"

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

/// What was replaced in the source that is being compiled, and where it stands.
std::vector<std::pair<parser::UseStmt *, parser::CharBlock>> replaced;

} // namespace

#define RESOLVE_OMP_PARTS "_ZN7Fortran9semantics15ResolveOmpPartsERNS0_16SemanticsContextERKNS_6parser11ProgramUnitE"

/// semantics::ResolveOmpParts.
void flangResolveOmpParts(semantics::SemanticsContext &, const parser::ProgramUnit &) asm("__real_" RESOLVE_OMP_PARTS);

/// What Flang calls in its place (--wrap, see CMakeLists.txt).
void resolveOmpParts(semantics::SemanticsContext &, const parser::ProgramUnit &) asm("__wrap_" RESOLVE_OMP_PARTS);

/// Flang looks for the scope of each USE by its place in the source: with OpenMP the names of modules must be in it.
void resolveOmpParts(semantics::SemanticsContext &context, const parser::ProgramUnit &unit) {
  parser::CharBlock own(ownName, sizeof(ownName) - 1);
  for (auto &[use, place] : replaced)
    use->moduleName.source = place;
  flangResolveOmpParts(context, unit);
  for (auto &[use, place] : replaced)
    use->moduleName.source = own;
}

void cufort::frontend::replaceIsoCBinding(parser::Program &program) {
  replaced.clear();
  UseCollector collector;
  parser::Walk(program, collector);
  if (collector.definesModule)
    return;
  for (parser::UseStmt *use : collector.uses) {
    use->nature = parser::UseStmt::ModuleNature::Intrinsic;
    replaced.emplace_back(use, use->moduleName.source);
    use->moduleName.source = parser::CharBlock(ownName, sizeof(ownName) - 1);
  }
}
