#include "frontend/Parse/ComputedArrays.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// The subroutine that does what `assignment` does, for allocatable arrays; null if `assignment` is not of the module.
const semantics::Symbol *allocatingSubroutine(const semantics::Symbol &assignment) {
  const semantics::Symbol &ultimate = assignment.GetUltimate();
  const semantics::Scope &module = ultimate.owner();
  if (!module.IsModule() || !module.GetName() || module.GetName()->ToString() != "cutensorex")
    return nullptr;
  std::string name = "allocating_" + ultimate.name().ToString();
  for (const auto &[source, symbol] : module)
    if (source.ToString() == name)
      return &*symbol;
  return nullptr;
}

bool isWholeAllocatable(const std::optional<evaluate::ActualArgument> &argument) {
  const auto *expr = argument ? argument->UnwrapExpr() : nullptr;
  const semantics::Symbol *symbol = expr ? evaluate::UnwrapWholeSymbolOrComponentDataRef(*expr) : nullptr;
  return symbol && semantics::IsAllocatable(symbol->GetUltimate());
}

struct SubroutineCaller : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::ActionStmt &action) {
    auto *assignment = std::get_if<common::Indirection<parser::AssignmentStmt>>(&action.u);
    const auto *typed = assignment ? assignment->value().typedAssignment.get() : nullptr;
    auto *call = typed && typed->v ? std::get_if<evaluate::ProcedureRef>(&typed->v->u) : nullptr;
    const semantics::Symbol *subroutine = call ? call->proc().GetSymbol() : nullptr;
    if (!subroutine || !isWholeAllocatable(call->arguments().front()))
      return;
    const semantics::Symbol *allocating = allocatingSubroutine(*subroutine);
    if (!allocating)
      return;
    parser::CharBlock source = std::get<parser::Variable>(assignment->value().t).GetSource();
    parser::Name name{source, const_cast<semantics::Symbol *>(allocating)};
    parser::CallStmt statement(parser::ProcedureDesignator(std::move(name)), std::nullopt,
                               std::list<parser::ActualArgSpec>());
    statement.source = source;
    evaluate::ActualArguments arguments = call->arguments();
    statement.typedCall.Reset(
        new evaluate::ProcedureRef(evaluate::ProcedureDesignator(*allocating), std::move(arguments)),
        evaluate::ProcedureRef::Deleter);
    action.u = common::Indirection<parser::CallStmt>(std::move(statement));
  }
};

} // namespace

void cufort::frontend::allocateForComputedArrays(parser::Program &program) {
  SubroutineCaller caller;
  parser::Walk(program, caller);
}
