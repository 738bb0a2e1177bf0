#include "frontend/Checks/IntegerConditions.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/type.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// Intrinsic functions with an integer value, whatever their arguments are.
constexpr llvm::StringLiteral integerFunctions[] = {
    "iand", "ior",  "ieor", "not",   "ibits", "ibset",  "ibclr",   "ishft", "ishftc", "shiftl", "shiftr",
    "int",  "nint", "size", "count", "index", "popcnt", "poppar",  "leadz", "trailz", "len",    "len_trim",
    "scan", "kind", "ichar", "iachar", "verify", "floor", "ceiling", "lbound", "ubound"};

bool isInteger(const semantics::Symbol &symbol) {
  const semantics::DeclTypeSpec *type = symbol.GetUltimate().GetType();
  const semantics::IntrinsicTypeSpec *intrinsic = type ? type->AsIntrinsic() : nullptr;
  return intrinsic && intrinsic->category() == common::TypeCategory::Integer;
}

bool isInteger(const parser::DataRef &data) {
  return common::visit(common::visitors{[](const parser::Name &name) { return name.symbol && isInteger(*name.symbol); },
                                        [](const common::Indirection<parser::StructureComponent> &part) {
                                          const semantics::Symbol *component = part.value().component.symbol;
                                          return component && isInteger(*component);
                                        },
                                        [](const common::Indirection<parser::ArrayElement> &element) {
                                          return isInteger(element.value().base);
                                        },
                                        [](const auto &) { return false; }},
                       data.u);
}

/// An array element is a function reference, too, until the expression has been analysed.
bool isInteger(const parser::FunctionReference &reference) {
  const auto &callee = std::get<parser::ProcedureDesignator>(reference.v.t);
  if (const auto *part = std::get_if<parser::ProcComponentRef>(&callee.u)) {
    const semantics::Symbol *component = part->v.thing.component.symbol;
    return component && isInteger(*component);
  }
  const auto &name = std::get<parser::Name>(callee.u);
  if (!name.symbol)
    return false;
  bool isIntrinsic = name.symbol->GetUltimate().attrs().test(semantics::Attr::INTRINSIC);
  return isIntrinsic ? llvm::is_contained(integerFunctions, llvm::StringRef(name.ToString()))
                     : isInteger(*name.symbol);
}

/// True if `expr`, whose names have been resolved, certainly has an integer value.
bool isInteger(const parser::Expr &expr) {
  using E = parser::Expr;
  auto both = [](const auto &operation) {
    return isInteger(std::get<0>(operation.t).value()) && isInteger(std::get<1>(operation.t).value());
  };
  return common::visit(
      common::visitors{
          [](const common::Indirection<parser::FunctionReference> &call) { return isInteger(call.value()); },
          [](const common::Indirection<parser::Designator> &designator) {
            const auto *data = std::get_if<parser::DataRef>(&designator.value().u);
            return data && isInteger(*data);
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
