#include "frontend/Checks/CheckComputedArrays.h"
#include "flang/Evaluate/fold.h"
#include "flang/Evaluate/shape.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

bool cufort::frontend::isOfCutensorex(const semantics::Symbol &procedure) {
  const semantics::Scope &module = procedure.GetUltimate().owner();
  return module.IsModule() && module.GetName() && module.GetName()->ToString() == "cutensorex";
}

bool cufort::frontend::isWholeAllocatable(const evaluate::ActualArgument &argument) {
  const auto *expr = argument.UnwrapExpr();
  const semantics::Symbol *symbol = expr ? evaluate::UnwrapWholeSymbolOrComponentDataRef(*expr) : nullptr;
  return symbol && semantics::IsAllocatable(symbol->GetUltimate());
}

namespace {

/// What `call` has for the dummy argument `name`, or null.
const semantics::SomeExpr *argumentFor(const evaluate::ProcedureRef &call, llvm::StringRef name) {
  const semantics::Symbol *function = call.proc().GetSymbol();
  const auto *details = function ? function->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
  for (size_t i = 0; details && i < details->dummyArgs().size() && i < call.arguments().size(); ++i)
    if (const semantics::Symbol *dummy = details->dummyArgs()[i];
        dummy && dummy->name().ToString() == name && call.arguments()[i])
      return call.arguments()[i]->UnwrapExpr();
  return nullptr;
}

class ComputedArrayChecker : public TreeVisitor {
public:
  explicit ComputedArrayChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::AssignmentStmt &assignment) {
    const auto *typed = assignment.typedAssignment.get();
    const auto *call = typed && typed->v ? std::get_if<evaluate::ProcedureRef>(&typed->v->u) : nullptr;
    const semantics::Symbol *subroutine = call ? call->proc().GetSymbol() : nullptr;
    if (!subroutine || !cufort::frontend::isOfCutensorex(*subroutine))
      return;
    const auto &left = call->arguments().front(), &right = call->arguments().back();
    const auto *array = left ? left->UnwrapExpr() : nullptr, *value = right ? right->UnwrapExpr() : nullptr;
    const evaluate::ProcedureRef *function = value ? evaluate::UnwrapProcedureRef(*value) : nullptr;
    if (array && function)
      check(std::get<parser::Variable>(assignment.t).GetSource(), *left, *function);
  }

private:
  void check(parser::CharBlock source, const evaluate::ActualArgument &array, const evaluate::ProcedureRef &function) {
    const semantics::Symbol *symbol = function.proc().GetSymbol();
    std::string name = symbol ? symbol->GetUltimate().name().ToString() : "";
    bool isPacked = llvm::StringRef(name).starts_with("pack");
    const semantics::SomeExpr *model = argumentFor(function, "mask");
    if (const semantics::SomeExpr *summed = argumentFor(function, "array");
        summed && llvm::StringRef(name).starts_with("sums"))
      model = summed;
    const semantics::SomeExpr *dim = argumentFor(function, "dim");
    auto dimension = dim ? evaluate::ToInt64(*dim) : std::nullopt;
    if (!model || isPacked)
      return;
    if (dimension && (*dimension < 1 || *dimension > model->Rank()))
      context.Say(source, "DIM is %jd, which is no dimension of an array of rank %d"_err_en_US,
                  static_cast<std::intmax_t>(*dimension), model->Rank());
    else if (!cufort::frontend::isWholeAllocatable(array))
      compare(source, *array.UnwrapExpr(), *model);
  }

  void compare(parser::CharBlock source, const semantics::SomeExpr &array, const semantics::SomeExpr &model) {
    auto assigned = evaluate::GetConstantExtents(context.foldingContext(), array);
    auto made = evaluate::GetConstantExtents(context.foldingContext(), model);
    if (!assigned || !made || assigned->size() != made->size())
      return;
    for (size_t i = 0; i < made->size(); ++i)
      if ((*assigned)[i] != (*made)[i]) {
        context.Say(source,
                    "Dimension %jd of left-hand side has extent %jd, but right-hand side has extent %jd"_err_en_US,
                    static_cast<std::intmax_t>(i + 1), static_cast<std::intmax_t>((*assigned)[i]),
                    static_cast<std::intmax_t>((*made)[i]));
        return;
      }
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkComputedArrays(semantics::SemanticsContext &context, const parser::Program &program) {
  ComputedArrayChecker checker{context};
  parser::Walk(program, checker);
}
