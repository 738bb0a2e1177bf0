#include "frontend/Checks/LenientExpressions.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/DeclaredTypes.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;
using cufort::frontend::typedSymbol;
using E = parser::Expr;

namespace {

bool isLogical(const semantics::Symbol *symbol) {
  return cufort::frontend::isOfType(symbol, common::TypeCategory::Logical);
}

/// True if `expression`, whose names have been resolved, certainly has a logical value.
bool isLogical(const parser::Expr &expression) {
  return common::visit(common::visitors{[](const common::Indirection<parser::FunctionReference> &call) {
                                          return isLogical(typedSymbol(call.value()));
                                        },
                                        [](const common::Indirection<parser::Designator> &designator) {
                                          const auto *data = std::get_if<parser::DataRef>(&designator.value().u);
                                          return data && isLogical(typedSymbol(*data));
                                        },
                                        [](const parser::LiteralConstant &literal) {
                                          return std::holds_alternative<parser::LogicalLiteralConstant>(literal.u);
                                        },
                                        [](const E::Parentheses &inner) { return isLogical(inner.v.value()); },
                                        [](const E::NOT &) { return true; }, [](const E::AND &) { return true; },
                                        [](const E::OR &) { return true; }, [](const E::EQV &) { return true; },
                                        [](const E::NEQV &) { return true; }, [](const auto &) { return false; }},
                       expression.u);
}

parser::Expr *expressionOf(parser::AcValue &value) {
  auto *expression = std::get_if<common::Indirection<parser::Expr>>(&value.u);
  return expression ? &expression->value() : nullptr;
}

/// A numeric type: integers have kind 0 here, because all of them can become real numbers of any kind.
using RealKind = int;

/// The type of calculations with numbers of both types.
std::optional<RealKind> joined(std::optional<RealKind> left, std::optional<RealKind> right) {
  return left && right ? std::optional(std::max(*left, *right)) : std::nullopt;
}

/// Finds the types of numbers whose names have been resolved; none if something else may decide on them.
class NumberTypes {
public:
  explicit NumberTypes(semantics::SemanticsContext &context) : context(context) {}

  std::optional<RealKind> of(const parser::Expr &expression) const {
    return common::visit(
        common::visitors{[&](const parser::LiteralConstant &literal) { return ofLiteral(literal); },
                         [&](const common::Indirection<parser::Designator> &designator) {
                           const auto *data = std::get_if<parser::DataRef>(&designator.value().u);
                           return data ? ofSymbol(typedSymbol(*data)) : std::nullopt;
                         },
                         [&](const common::Indirection<parser::FunctionReference> &call) {
                           return ofSymbol(typedSymbol(call.value()));
                         },
                         [&](const E::Parentheses &inner) { return of(inner.v.value()); },
                         [&](const E::Negate &inner) { return of(inner.v.value()); },
                         [&](const E::UnaryPlus &inner) { return of(inner.v.value()); },
                         [&](const E::Power &x) { return ofBoth(x); }, [&](const E::Multiply &x) { return ofBoth(x); },
                         [&](const E::Divide &x) { return ofBoth(x); }, [&](const E::Add &x) { return ofBoth(x); },
                         [&](const E::Subtract &x) { return ofBoth(x); },
                         [](const auto &) -> std::optional<RealKind> { return std::nullopt; }},
        expression.u);
  }

private:
  std::optional<RealKind> ofBoth(const E::IntrinsicBinary &operation) const {
    const auto &[left, right] = operation.t;
    return joined(of(left.value()), of(right.value()));
  }

  std::optional<RealKind> ofLiteral(const parser::LiteralConstant &literal) const {
    if (std::holds_alternative<parser::IntLiteralConstant>(literal.u))
      return 0;
    const auto *number = std::get_if<parser::RealLiteralConstant>(&literal.u);
    if (!number)
      return std::nullopt;
    if (number->kind)
      return ofKind(*number->kind);
    bool isDouble = number->real.source.ToString().find_first_of("dD") != std::string::npos;
    return isDouble ? context.doublePrecisionKind() : context.GetDefaultKind(common::TypeCategory::Real);
  }

  static std::optional<RealKind> ofKind(const parser::KindParam &kind) {
    if (const auto *number = std::get_if<std::uint64_t>(&kind.u))
      return static_cast<RealKind>(*number);
    const semantics::Symbol *name =
        std::get<parser::Scalar<parser::Integer<parser::Constant<parser::Name>>>>(kind.u).thing.thing.thing.symbol;
    const auto *constant = name ? name->GetUltimate().detailsIf<semantics::ObjectEntityDetails>() : nullptr;
    auto value = constant ? evaluate::ToInt64(constant->init()) : std::nullopt;
    return value ? std::optional(static_cast<RealKind>(*value)) : std::nullopt;
  }

  static std::optional<RealKind> ofSymbol(const semantics::Symbol *symbol) {
    if (cufort::frontend::isOfType(symbol, common::TypeCategory::Integer))
      return 0;
    if (!cufort::frontend::isOfType(symbol, common::TypeCategory::Real))
      return std::nullopt;
    auto kind = evaluate::ToInt64(symbol->GetUltimate().GetType()->AsIntrinsic()->kind());
    return kind ? std::optional(static_cast<RealKind>(*kind)) : std::nullopt;
  }

  semantics::SemanticsContext &context;
};

struct ExpressionRewriter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ExpressionRewriter(semantics::SemanticsContext &context) : context(context), types(context) {}

  void Post(parser::Expr &expression) {
    if (auto *equal = std::get_if<E::EQ>(&expression.u))
      compareAs<E::EQV>(expression, *equal);
    else if (auto *different = std::get_if<E::NE>(&expression.u))
      compareAs<E::NEQV>(expression, *different);
  }

  /// Other compilers convert the values to the type of the first. A type in front of them says that.
  void Post(parser::ArrayConstructor &constructor) {
    auto &values = std::get<std::list<parser::AcValue>>(constructor.v.t);
    auto &type = std::get<std::optional<parser::TypeSpec>>(constructor.v.t);
    const parser::Expr *first = type || values.empty() ? nullptr : expressionOf(values.front());
    RealKind kind = first ? types.of(*first).value_or(0) : 0;
    if (kind == 0)
      return;
    for (parser::AcValue &value : values) {
      const parser::Expr *expression = expressionOf(value);
      auto other = expression ? types.of(*expression) : std::nullopt;
      if (!other || *other == kind)
        continue;
      if (*other == 0)
        context.Say(expression->source,
                    "An integer among the real numbers of an array constructor is taken for a real number"_warn_en_US);
      else
        context.Say(expression->source,
                    "The real(%d) number in an array constructor becomes real(%d), as the first"_warn_en_US, *other,
                    kind);
      if (!type)
        type = realType(kind);
    }
  }

private:
  template <typename Equivalence, typename Comparison>
  void compareAs(parser::Expr &expression, Comparison &comparison) {
    auto &[left, right] = comparison.t;
    if (!isLogical(left.value()) || !isLogical(right.value()))
      return;
    context.Say(expression.source,
                "LOGICAL values are compared by .EQV. and .NEQV.: this is taken for that"_warn_en_US);
    Equivalence equivalence(std::move(left), std::move(right));
    expression.u = std::move(equivalence);
  }

  parser::TypeSpec realType(RealKind kind) {
    parser::TypeSpec type{parser::IntrinsicTypeSpec{parser::IntrinsicTypeSpec::Real{std::nullopt}}};
    type.declTypeSpec = &context.MakeNumericType(common::TypeCategory::Real, kind);
    return type;
  }

  semantics::SemanticsContext &context;
  NumberTypes types;
};

} // namespace

void cufort::frontend::rewriteLenientExpressions(semantics::SemanticsContext &context, parser::Program &program) {
  ExpressionRewriter rewriter(context);
  parser::Walk(program, rewriter);
}
