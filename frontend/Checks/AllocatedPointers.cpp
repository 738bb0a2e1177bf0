// Programs ask ALLOCATED of pointers, which is not standard Fortran; other compilers answer as ASSOCIATED does.
//
// What is a pointer is known once the names are resolved, and Flang refuses the call when it then analyses the
// expressions. Between the two it rewrites the parse tree: the linker puts `rewriteParseTree` below in the place of
// that function (--wrap, see CMakeLists.txt), and the name ALLOCATED gets the symbol of the intrinsic ASSOCIATED.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/AddressArguments.h"
#include "frontend/Checks/CalledGenerics.h"
#include "frontend/Checks/DefaultKindArguments.h"
#include "frontend/Checks/DotProducts.h"
#include "frontend/Checks/IntegerConditions.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/LenientExpressions.h"
#include "frontend/Checks/MisreadStatements.h"
#include "frontend/Checks/SpecificProcedures.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace cufort::frontend;

namespace {

/// The name of the variable or component that the only argument is; null if it is something else.
const parser::Name *onlyArgument(const parser::Call &call) {
  const auto &arguments = std::get<std::list<parser::ActualArgSpec>>(call.t);
  if (arguments.size() != 1)
    return nullptr;
  const auto &argument = std::get<parser::ActualArg>(arguments.front().t);
  const auto *expression = std::get_if<common::Indirection<parser::Expr>>(&argument.u);
  if (!expression)
    return nullptr;
  const auto *designator = std::get_if<common::Indirection<parser::Designator>>(&expression->value().u);
  const auto *data = designator ? std::get_if<parser::DataRef>(&designator->value().u) : nullptr;
  if (!data || std::holds_alternative<common::Indirection<parser::ArrayElement>>(data->u))
    return nullptr;
  return &parser::GetLastName(*data);
}

struct AllocatedPointerFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  explicit AllocatedPointerFinder(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Call &call) {
    auto *callee = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    if (!callee || !isIntrinsic(*callee, "allocated"))
      return;
    const parser::Name *pointer = onlyArgument(call);
    if (!pointer || !pointer->symbol || !pointer->symbol->GetUltimate().attrs().test(semantics::Attr::POINTER))
      return;
    callee->symbol = &intrinsicSymbol(context, "associated");
    context.Say(callee->source, "ALLOCATED of the pointer '%s' is taken for ASSOCIATED"_warn_en_US, pointer->source);
  }

  semantics::SemanticsContext &context;
};

} // namespace

#define REWRITE_PARSE_TREE "_ZN7Fortran9semantics16RewriteParseTreeERNS0_16SemanticsContextERNS_6parser7ProgramE"

bool flangRewriteParseTree(semantics::SemanticsContext &context,
                           parser::Program &program) asm("__real_" REWRITE_PARSE_TREE);
bool rewriteParseTree(semantics::SemanticsContext &context, parser::Program &program) asm("__wrap_" REWRITE_PARSE_TREE);

bool rewriteParseTree(semantics::SemanticsContext &context, parser::Program &program) {
  orderSpecificProcedures(context);
  rememberGenerics(context);
  AllocatedPointerFinder finder(context);
  parser::Walk(program, finder);
  takeAddresses(context, program);
  rewriteLenientExpressions(context, program);
  compareIntegerConditions(program);
  rewriteDotProducts(context, program);
  convertDefaultKindArguments(context, program);
  bool succeeded = flangRewriteParseTree(context, program);
  placeSubscripts(program);
  return succeeded;
}
