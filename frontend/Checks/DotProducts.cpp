#include "frontend/Checks/DotProducts.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/type.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/TreeVisitor.h"
#include <cstring>

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

bool isComplex(const semantics::Symbol &symbol) {
  const semantics::DeclTypeSpec *type = symbol.GetUltimate().GetType();
  const semantics::IntrinsicTypeSpec *intrinsic = type ? type->AsIntrinsic() : nullptr;
  return intrinsic && intrinsic->category() == common::TypeCategory::Complex;
}

struct ComplexNameFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Name &name) { found |= name.symbol && isComplex(*name.symbol); }
  bool found = false;
};

struct DotProductRewriter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  explicit DotProductRewriter(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Call &call) {
    auto *callee = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    auto &arguments = std::get<std::list<parser::ActualArgSpec>>(call.t);
    if (!callee || callee->source != "dot_product" || !callee->symbol || arguments.size() != 3 ||
        !callee->symbol->GetUltimate().attrs().test(semantics::Attr::INTRINSIC) ||
        !cufort::frontend::hasArrayFunctionsIn(context.FindScope(callee->source)))
      return;
    auto second = std::next(arguments.begin());
    parser::Expr *left = expression(arguments.front()), *right = expression(*second);
    if (!left || !right || !hasNoKeyword(arguments.front()) || !hasNoKeyword(*second))
      return;
    ComplexNameFinder complexNames;
    parser::Walk(*left, complexNames);
    // The type of a larger expression is not known yet.
    bool isConjugated = std::holds_alternative<common::Indirection<parser::Designator>>(left->u);
    if (complexNames.found && !isConjugated)
      return;
    parser::CharBlock source(left->source.begin(), right->source.end() - left->source.begin());
    parser::Expr first = complexNames.found ? conjugate(std::move(*left)) : std::move(*left);
    parser::Expr product{parser::Expr::Multiply{common::Indirection<parser::Expr>{std::move(first)},
                                                common::Indirection<parser::Expr>{std::move(*right)}}};
    product.source = source;
    std::get<parser::ActualArg>(arguments.front().t).u = common::Indirection<parser::Expr>{std::move(product)};
    arguments.erase(second);
    callee->symbol = &intrinsic("sum");
  }

private:
  static bool hasNoKeyword(const parser::ActualArgSpec &argument) {
    return !std::get<std::optional<parser::Keyword>>(argument.t);
  }

  static parser::Expr *expression(parser::ActualArgSpec &argument) {
    auto *expression = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
    return expression ? &expression->value() : nullptr;
  }

  parser::Expr conjugate(parser::Expr &&number) {
    parser::CharBlock source = number.source;
    parser::Name name{source, &intrinsic("conjg")};
    std::list<parser::ActualArgSpec> arguments;
    arguments.emplace_back(std::optional<parser::Keyword>(),
                           parser::ActualArg{common::Indirection<parser::Expr>{std::move(number)}});
    parser::FunctionReference reference{
        parser::Call{parser::ProcedureDesignator{std::move(name)}, std::move(arguments)}};
    reference.source = source;
    parser::Expr result{common::Indirection<parser::FunctionReference>{std::move(reference)}};
    result.source = source;
    return result;
  }

  semantics::Symbol &intrinsic(const char *name) {
    return context.globalScope().MakeSymbol(parser::CharBlock(name, std::strlen(name)),
                                            semantics::Attrs{semantics::Attr::INTRINSIC},
                                            semantics::ProcEntityDetails{});
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::rewriteDotProducts(semantics::SemanticsContext &context, parser::Program &program) {
  DotProductRewriter rewriter(context);
  parser::Walk(program, rewriter);
}
