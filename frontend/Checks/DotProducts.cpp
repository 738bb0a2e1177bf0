#include "frontend/Checks/DotProducts.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/DeclaredTypes.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using cufort::frontend::isOfType;
using cufort::frontend::TreeVisitor;
using cufort::frontend::typedSymbol;

namespace {

/// Functions of complex numbers whose value is real or an integer, or makes the argument so.
constexpr llvm::StringLiteral realFunctions[] = {"abs",  "aimag", "real", "dble", "float",
                                                 "sngl", "int",   "nint", "size"};

bool isComplex(const parser::Expr &expr);

bool isComplex(const parser::FunctionReference &reference) {
  const semantics::Symbol *callee = typedSymbol(reference);
  if (!callee || !callee->GetUltimate().attrs().test(semantics::Attr::INTRINSIC))
    return isOfType(callee, common::TypeCategory::Complex);
  std::string name = callee->GetUltimate().name().ToString();
  if (llvm::is_contained(realFunctions, name))
    return false;
  if (name == "cmplx" || name == "dcmplx")
    return true;
  return llvm::any_of(std::get<std::list<parser::ActualArgSpec>>(reference.v.t), [](const auto &argument) {
    const auto *value = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
    return value && isComplex(value->value());
  });
}

/// True if `expr`, whose names have been resolved, has a complex value.
bool isComplex(const parser::Expr &expr) {
  return common::visit(common::visitors{[](const common::Indirection<parser::Designator> &designator) {
                                          const auto *data = std::get_if<parser::DataRef>(&designator.value().u);
                                          return data && isOfType(typedSymbol(*data), common::TypeCategory::Complex);
                                        },
                                        [](const common::Indirection<parser::FunctionReference> &reference) {
                                          return isComplex(reference.value());
                                        },
                                        [](const parser::Expr::ComplexConstructor &) { return true; },
                                        [](const parser::LiteralConstant &literal) {
                                          return std::holds_alternative<parser::ComplexLiteralConstant>(literal.u);
                                        },
                                        [](const auto &operation) {
                                          using Operation = std::decay_t<decltype(operation)>;
                                          if constexpr (std::is_base_of_v<parser::Expr::IntrinsicBinary, Operation>)
                                            return isComplex(std::get<0>(operation.t).value()) ||
                                                   isComplex(std::get<1>(operation.t).value());
                                          else if constexpr (std::is_base_of_v<parser::Expr::IntrinsicUnary, Operation>)
                                            return isComplex(operation.v.value());
                                          else
                                            return false;
                                        }},
                       expr.u);
}

struct DotProductRewriter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  explicit DotProductRewriter(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Call &call) {
    auto *callee = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    auto &arguments = std::get<std::list<parser::ActualArgSpec>>(call.t);
    if (!callee || !cufort::frontend::isIntrinsic(*callee, "dot_product") || arguments.size() != 3 ||
        !cufort::frontend::hasArrayFunctionsIn(context.FindScope(callee->source)))
      return;
    auto second = std::next(arguments.begin());
    parser::Expr *left = expression(arguments.front()), *right = expression(*second);
    if (!left || !right || !hasNoKeyword(arguments.front()) || !hasNoKeyword(*second))
      return;
    parser::CharBlock source(left->source.begin(), right->source.end() - left->source.begin());
    parser::Expr first = isComplex(*left) ? conjugate(std::move(*left)) : std::move(*left);
    parser::Expr product{parser::Expr::Multiply{common::Indirection<parser::Expr>{std::move(first)},
                                                common::Indirection<parser::Expr>{std::move(*right)}}};
    product.source = source;
    std::get<parser::ActualArg>(arguments.front().t).u = common::Indirection<parser::Expr>{std::move(product)};
    arguments.erase(second);
    callee->symbol = &cufort::frontend::intrinsicSymbol(context, "sum");
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
    parser::Name name{source, &cufort::frontend::intrinsicSymbol(context, "conjg")};
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

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::rewriteDotProducts(semantics::SemanticsContext &context, parser::Program &program) {
  DotProductRewriter rewriter(context);
  parser::Walk(program, rewriter);
}
