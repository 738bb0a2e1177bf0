#include "frontend/Checks/LenientExpressions.h"
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

/// The literal that `value` is, behind signs and parentheses; null if it is none of type `Literal`.
template <typename Literal>
const Literal *literalOf(const parser::Expr &value) {
  if (const auto *inner = std::get_if<E::Parentheses>(&value.u))
    return literalOf<Literal>(inner->v.value());
  if (const auto *inner = std::get_if<E::Negate>(&value.u))
    return literalOf<Literal>(inner->v.value());
  const auto *literal = std::get_if<parser::LiteralConstant>(&value.u);
  return literal ? std::get_if<Literal>(&literal->u) : nullptr;
}

parser::Expr *expressionOf(parser::AcValue &value) {
  auto *expression = std::get_if<common::Indirection<parser::Expr>>(&value.u);
  return expression ? &expression->value() : nullptr;
}

/// Zero of the kind that `literal` has; its kind is no name.
parser::Expr zeroLike(const parser::RealLiteralConstant &literal, parser::CharBlock source) {
  static const char single[] = "0.", twice[] = "0.d0";
  std::string text = literal.real.source.ToString();
  bool isDouble = text.find_first_of("dD") != std::string::npos;
  parser::RealLiteralConstant::Real real;
  real.source = isDouble ? parser::CharBlock(twice, sizeof twice - 1) : parser::CharBlock(single, sizeof single - 1);
  std::optional<parser::KindParam> kind;
  if (literal.kind)
    kind.emplace(std::uint64_t(std::get<std::uint64_t>(literal.kind->u)));
  parser::Expr zero(parser::LiteralConstant(parser::RealLiteralConstant(std::move(real), std::move(kind))));
  zero.source = source;
  return zero;
}

struct ExpressionRewriter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ExpressionRewriter(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Expr &expression) {
    if (auto *equal = std::get_if<E::EQ>(&expression.u))
      compareAs<E::EQV>(expression, *equal);
    else if (auto *different = std::get_if<E::NE>(&expression.u))
      compareAs<E::NEQV>(expression, *different);
  }

  void Post(parser::ArrayConstructor &constructor) {
    auto &values = std::get<std::list<parser::AcValue>>(constructor.v.t);
    if (std::get<std::optional<parser::TypeSpec>>(constructor.v.t) || values.empty())
      return;
    const parser::Expr *first = expressionOf(values.front());
    const auto *number = first ? literalOf<parser::RealLiteralConstant>(*first) : nullptr;
    if (!number || (number->kind && !std::holds_alternative<std::uint64_t>(number->kind->u)))
      return;
    for (parser::AcValue &value : values)
      if (parser::Expr *expression = expressionOf(value);
          expression && literalOf<parser::IntLiteralConstant>(*expression))
        makeReal(*expression, *number);
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

  void makeReal(parser::Expr &integer, const parser::RealLiteralConstant &number) {
    parser::CharBlock source = integer.source;
    context.Say(source,
                "An integer among the real numbers of an array constructor is taken for a real number"_warn_en_US);
    parser::Expr sum(E::Add(common::Indirection<parser::Expr>(std::move(integer)),
                            common::Indirection<parser::Expr>(zeroLike(number, source))));
    sum.source = source;
    integer = std::move(sum);
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::rewriteLenientExpressions(semantics::SemanticsContext &context, parser::Program &program) {
  ExpressionRewriter rewriter(context);
  parser::Walk(program, rewriter);
}
