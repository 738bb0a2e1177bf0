#include "frontend/Checks/ChangedVariables.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// The actual arguments of all calls in an expression.
class ArgumentFinder : public evaluate::AnyTraverse<ArgumentFinder> {
public:
  using Base = evaluate::AnyTraverse<ArgumentFinder>;
  explicit ArgumentFinder(semantics::UnorderedSymbolSet &found) : Base(*this), found(found) {}
  using Base::operator();

  bool operator()(const evaluate::ProcedureRef &call) const {
    const evaluate::SpecificIntrinsic *intrinsic = call.proc().GetSpecificIntrinsic();
    if (!intrinsic || !intrinsic->characteristics.value().IsFunction())
      for (const auto &argument : call.arguments())
        if (argument && argument->dummyIntent() != common::Intent::In)
          add(argument->UnwrapExpr());
    return Base::operator()(call);
  }

private:
  void add(const evaluate::Expr<evaluate::SomeType> *actual) const {
    if (!actual || !evaluate::IsVariable(*actual))
      return;
    if (const semantics::Symbol *variable = evaluate::GetFirstSymbol(*actual))
      found.insert(semantics::GetAssociationRoot(*variable));
  }

  semantics::UnorderedSymbolSet &found;
};

struct ChangeFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::DataStmt &) { return false; } // an initial value
  void Post(const parser::Variable &variable) { add(parser::GetFirstName(variable)); }
  void Post(const parser::LoopControl::Bounds &bounds) { add(bounds.name.thing); }
  void Post(const parser::CallStmt &call) {
    if (call.typedCall)
      ArgumentFinder{found}(*call.typedCall);
  }
  void Post(const parser::Expr &expression) {
    if (expression.typedExpr && expression.typedExpr->v)
      ArgumentFinder{found}(*expression.typedExpr->v);
  }

  void add(const parser::Name &name) {
    if (name.symbol)
      found.insert(semantics::GetAssociationRoot(*name.symbol));
  }

  semantics::UnorderedSymbolSet found;
};

} // namespace

semantics::UnorderedSymbolSet cufort::frontend::changedVariables(const parser::Program &program) {
  ChangeFinder finder;
  parser::Walk(program, finder);
  return std::move(finder.found);
}
