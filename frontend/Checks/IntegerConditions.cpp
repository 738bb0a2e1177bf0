#include "frontend/Checks/IntegerConditions.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/DeclaredTypes.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using cufort::frontend::isOfType;
using cufort::frontend::TreeVisitor;
using cufort::frontend::typedSymbol;

namespace {

/// Intrinsic functions with an integer value, whatever their arguments are.
constexpr llvm::StringLiteral integerFunctions[] = {
    "iand", "ior",  "ieor",  "not",    "ibits",  "ibset",  "ibclr",   "ishft",  "ishftc", "shiftl", "shiftr",
    "int",  "nint", "size",  "count",  "index",  "popcnt", "poppar",  "leadz",  "trailz", "len",    "len_trim",
    "scan", "kind", "ichar", "iachar", "verify", "floor",  "ceiling", "lbound", "ubound"};

bool isInteger(const parser::FunctionReference &reference) {
  const semantics::Symbol *callee = typedSymbol(reference);
  if (!callee || !callee->GetUltimate().attrs().test(semantics::Attr::INTRINSIC))
    return isOfType(callee, common::TypeCategory::Integer);
  return llvm::is_contained(integerFunctions, callee->GetUltimate().name().ToString());
}

/// True if `expr`, whose names have been resolved, certainly has an integer value.
bool isInteger(const parser::Expr &expr) {
  using E = parser::Expr;
  auto both = [](const auto &operation) {
    return isInteger(std::get<0>(operation.t).value()) && isInteger(std::get<1>(operation.t).value());
  };
  return common::visit(common::visitors{[](const common::Indirection<parser::FunctionReference> &call) {
                                          return isInteger(call.value());
                                        },
                                        [](const common::Indirection<parser::Designator> &designator) {
                                          const auto *data = std::get_if<parser::DataRef>(&designator.value().u);
                                          return data && isOfType(typedSymbol(*data), common::TypeCategory::Integer);
                                        },
                                        [](const parser::LiteralConstant &literal) {
                                          return std::holds_alternative<parser::IntLiteralConstant>(literal.u);
                                        },
                                        [](const E::Parentheses &inner) { return isInteger(inner.v.value()); },
                                        [](const E::Negate &inner) { return isInteger(inner.v.value()); },
                                        [&](const E::Add &operation) { return both(operation); },
                                        [&](const E::Subtract &operation) { return both(operation); },
                                        [&](const E::Multiply &operation) { return both(operation); },
                                        [&](const E::Divide &operation) { return both(operation); },
                                        [](const auto &) { return false; }},
                       expr.u);
}

struct ConditionComparer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::ScalarLogicalExpr &condition) {
    parser::Expr &expression = condition.thing.thing.value();
    if (isInteger(expression))
      expression = cufort::frontend::isNotZero(std::move(expression));
  }
};

} // namespace

parser::Expr cufort::frontend::isNotZero(parser::Expr &&expression) {
  static const char zero[] = "0";
  parser::CharBlock source = expression.source;
  parser::Expr right(parser::LiteralConstant(
      parser::IntLiteralConstant(parser::CharBlock(zero, 1), std::optional<parser::KindParam>())));
  right.source = source;
  parser::Expr result(parser::Expr::NE(common::Indirection<parser::Expr>(std::move(expression)),
                                       common::Indirection<parser::Expr>(std::move(right))));
  result.source = source;
  return result;
}

void cufort::frontend::compareIntegerConditions(parser::Program &program) {
  ConditionComparer comparer;
  parser::Walk(program, comparer);
}
