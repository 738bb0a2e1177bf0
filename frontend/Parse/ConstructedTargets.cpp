#include "frontend/Parse/ConstructedTargets.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

using Derived = evaluate::Expr<evaluate::SomeDerived>;
using Constant = evaluate::Constant<evaluate::SomeDerived>;

bool pointsToDevice(const Derived &value) {
  for (const semantics::Symbol &symbol : evaluate::CollectSymbols(semantics::SomeExpr{value}))
    if (cufort::frontend::dataAttribute(symbol.GetUltimate()))
      return true;
  return false;
}

/// The constructor that `constant` has been made from.
Derived constructorOf(const Constant &constant) {
  const semantics::DerivedTypeSpec &type = constant.result().derivedTypeSpec();
  if (auto value = constant.GetScalarValue())
    return Derived{std::move(*value)};
  evaluate::ArrayConstructorValues<evaluate::SomeDerived> elements;
  for (const evaluate::StructureConstructorValues &values : constant.values())
    elements.Push(Derived{evaluate::StructureConstructor{type, values}});
  return Derived{evaluate::ArrayConstructor<evaluate::SomeDerived>{type, std::move(elements)}};
}

/// Replaces constants in expressions, which the parse tree owns.
struct ConstantReplacer : evaluate::AnyTraverse<ConstantReplacer> {
  using Base = evaluate::AnyTraverse<ConstantReplacer>;
  using Base::operator();
  ConstantReplacer() : Base(*this) {}

  bool operator()(const Derived &expr) const {
    const auto *constant = std::get_if<Constant>(&expr.u);
    if (constant && constant->Rank() <= 1 && pointsToDevice(expr))
      const_cast<Derived &>(expr) = constructorOf(*constant);
    return Base::operator()(expr);
  }
};

struct ConstructorFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// Initial values are constants.
  bool Pre(const parser::SpecificationPart &) { return false; }

  void Post(const parser::Expr &expr) {
    if (expr.typedExpr && expr.typedExpr->v)
      ConstantReplacer()(*expr.typedExpr->v);
  }
  void Post(const parser::AssignmentStmt &statement) {
    if (statement.typedAssignment && statement.typedAssignment->v)
      ConstantReplacer()(*statement.typedAssignment->v);
  }
  void Post(const parser::CallStmt &statement) {
    if (statement.typedCall)
      ConstantReplacer()(*statement.typedCall);
  }
};

} // namespace

void cufort::frontend::constructTargetsWhenRun(parser::Program &program) {
  ConstructorFinder finder;
  parser::Walk(program, finder);
}
