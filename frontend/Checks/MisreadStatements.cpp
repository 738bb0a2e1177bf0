#include "frontend/Checks/MisreadStatements.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

struct SubscriptPlacer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// The arguments of statement functions are names.
  void Post(parser::Expr &expression) {
    const auto *name = std::get_if<common::Indirection<parser::Designator>>(&expression.u);
    if (name && expression.source.empty())
      expression.source = name->value().source;
  }
};

} // namespace

void cufort::frontend::placeSubscripts(parser::Program &program) {
  SubscriptPlacer placer;
  parser::Walk(program, placer);
}
