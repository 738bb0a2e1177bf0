#include "frontend/Parse/DefinedAssignments.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// True if the right side is a variable with an attribute of CUDA, and all of it goes to one call.
bool getsDeviceData(const evaluate::ProcedureRef &assignment) {
  const auto *expr = assignment.arguments().back() ? assignment.arguments().back()->UnwrapExpr() : nullptr;
  return expr && evaluate::IsVariable(*expr) && cufort::frontend::dataAttribute(*expr) &&
         !assignment.proc().IsElemental();
}

struct AssignmentCaller : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::ActionStmt &action) {
    const evaluate::ProcedureRef *call = cufort::frontend::definedAssignment(action);
    if (call && getsDeviceData(*call))
      cufort::frontend::makeCall(action, *call->proc().GetSymbol());
  }
};

} // namespace

const evaluate::ProcedureRef *cufort::frontend::definedAssignment(const parser::ActionStmt &action) {
  auto *assignment = std::get_if<common::Indirection<parser::AssignmentStmt>>(&action.u);
  const auto *typed = assignment ? assignment->value().typedAssignment.get() : nullptr;
  auto *call = typed && typed->v ? std::get_if<evaluate::ProcedureRef>(&typed->v->u) : nullptr;
  return call && call->proc().GetSymbol() ? call : nullptr;
}

void cufort::frontend::makeCall(parser::ActionStmt &action, const semantics::Symbol &subroutine) {
  auto &assignment = std::get<common::Indirection<parser::AssignmentStmt>>(action.u).value();
  evaluate::ActualArguments arguments = definedAssignment(action)->arguments();
  parser::CharBlock source = std::get<parser::Variable>(assignment.t).GetSource();
  parser::Name name{source, const_cast<semantics::Symbol *>(&subroutine)};
  parser::CallStmt statement(parser::ProcedureDesignator(std::move(name)), std::nullopt,
                             std::list<parser::ActualArgSpec>());
  statement.source = source;
  statement.typedCall.Reset(new evaluate::ProcedureRef(evaluate::ProcedureDesignator(subroutine), std::move(arguments)),
                            evaluate::ProcedureRef::Deleter);
  action.u = common::Indirection<parser::CallStmt>(std::move(statement));
}

void cufort::frontend::callDefinedAssignments(parser::Program &program) {
  AssignmentCaller caller;
  parser::Walk(program, caller);
}
