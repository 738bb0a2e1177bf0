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
    auto *assignment = std::get_if<common::Indirection<parser::AssignmentStmt>>(&action.u);
    const auto *typed = assignment ? assignment->value().typedAssignment.get() : nullptr;
    auto *call = typed && typed->v ? std::get_if<evaluate::ProcedureRef>(&typed->v->u) : nullptr;
    const semantics::Symbol *subroutine = call ? call->proc().GetSymbol() : nullptr;
    if (!subroutine || !getsDeviceData(*call))
      return;
    parser::CharBlock source = std::get<parser::Variable>(assignment->value().t).GetSource();
    parser::Name name{source, const_cast<semantics::Symbol *>(subroutine)};
    parser::CallStmt statement(parser::ProcedureDesignator(std::move(name)), std::nullopt,
                               std::list<parser::ActualArgSpec>());
    statement.source = source;
    statement.typedCall.Reset(new evaluate::ProcedureRef(*call), evaluate::ProcedureRef::Deleter);
    action.u = common::Indirection<parser::CallStmt>(std::move(statement));
  }
};

} // namespace

void cufort::frontend::callDefinedAssignments(parser::Program &program) {
  AssignmentCaller caller;
  parser::Walk(program, caller);
}
