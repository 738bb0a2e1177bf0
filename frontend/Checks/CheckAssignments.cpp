// Assignments between host and device whose type has an ASSIGNMENT(=) for host data. Device data does not match the
// dummy arguments of that procedure (guide 3.2.3), and so the assignment is the intrinsic one, a copy.

#include "frontend/Checks/CheckAssignments.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor;

namespace {

/// The type and rank of one side.
struct Operand {
  evaluate::DynamicType type;
  int rank;
};

/// The two sides of an assignment of a derived type.
struct Sides {
  Operand left, right;
};

bool fits(const semantics::Symbol *dummy, const Operand &operand, bool isElemental) {
  auto type = dummy && !cufort::frontend::isHiddenFromHost(*dummy) ? evaluate::DynamicType::From(*dummy) : std::nullopt;
  return type && type->IsTkCompatibleWith(operand.type) && (isElemental || dummy->Rank() == operand.rank);
}

/// The procedure of ASSIGNMENT(=) in `generic` that would be called if `sides` were data of the host, or null.
const semantics::Symbol *matchIn(const semantics::Symbol *generic, const Sides &sides) {
  const auto *details = generic ? generic->GetUltimate().detailsIf<semantics::GenericDetails>() : nullptr;
  if (!details)
    return nullptr;
  for (const semantics::Symbol &specific : details->specificProcs()) {
    const auto *binding = specific.GetUltimate().detailsIf<semantics::ProcBindingDetails>();
    const semantics::Symbol &procedure = binding ? binding->symbol().GetUltimate() : specific.GetUltimate();
    const auto *subprogram = procedure.detailsIf<semantics::SubprogramDetails>();
    bool isElemental = semantics::IsElementalProcedure(procedure);
    if (subprogram && subprogram->dummyArgs().size() == 2 &&
        fits(subprogram->dummyArgs()[0], sides.left, isElemental) &&
        fits(subprogram->dummyArgs()[1], sides.right, isElemental))
      return &procedure;
  }
  return nullptr;
}

const parser::CharBlock assignmentName{"assignment(=)", 13};

/// The same for the type of the left side.
const semantics::Symbol *matchInType(const Sides &sides) {
  const semantics::DerivedTypeSpec *type = evaluate::GetDerivedTypeSpec(sides.left.type);
  const semantics::Scope *scope = type ? type->typeSymbol().scope() : nullptr;
  return scope ? matchIn(scope->FindComponent(assignmentName), sides) : nullptr;
}

/// The same for a component that the intrinsic assignment of `type` would assign by its ASSIGNMENT(=).
const semantics::Symbol *matchInComponents(const semantics::DerivedTypeSpec &type) {
  for (const semantics::Symbol &component : semantics::DirectComponentIterator(type)) {
    auto own = semantics::IsPointer(component) ? std::nullopt : evaluate::DynamicType::From(component);
    if (!own || own->category() != common::TypeCategory::Derived)
      continue;
    Operand operand{*own, component.Rank()};
    if (const semantics::Symbol *procedure = matchInType({operand, operand}))
      return procedure;
  }
  return nullptr;
}

bool isHidden(const semantics::SomeExpr &expr) {
  auto attribute = cufort::frontend::dataAttribute(expr);
  return attribute == common::CUDADataAttr::Device || attribute == common::CUDADataAttr::Constant;
}

/// The name of the variable or component `device`, or of the function that returns the pointer to it.
parser::CharBlock nameOf(const semantics::SomeExpr &device) {
  const evaluate::ProcedureRef *call = evaluate::UnwrapProcedureRef(device);
  const semantics::Symbol *symbol = call ? call->proc().GetSymbol() : evaluate::GetLastSymbol(device);
  return symbol ? symbol->name() : parser::CharBlock();
}

class AssignmentChecker : public StatementVisitor {
public:
  explicit AssignmentChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }

  void Post(const parser::AssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    if (!assignment || !std::holds_alternative<evaluate::Assignment::Intrinsic>(assignment->u) ||
        semantics::FindCUDADeviceContext(&context.FindScope(source)))
      return;
    bool toDevice = isHidden(assignment->lhs);
    const semantics::SomeExpr &device = toDevice ? assignment->lhs : assignment->rhs;
    const semantics::Symbol *procedure = isHidden(device) ? procedureFor(*assignment) : nullptr;
    if (!procedure)
      return;
    context.Say(
        toDevice ? std::get<parser::Variable>(statement.t).GetSource() : std::get<parser::Expr>(statement.t).source,
        "'%s' is device data, which the dummy arguments of '%s' are not: this assignment copies the value and does not call the procedure; one of ASSIGNMENT(=) that is to be called needs device dummy arguments"_warn_en_US,
        nameOf(device), procedure->name());
  }

private:
  /// The procedure for host data that the assignment would call, or null.
  const semantics::Symbol *procedureFor(const evaluate::Assignment &assignment) const {
    auto left = assignment.lhs.GetType(), right = assignment.rhs.GetType();
    if (!left || !right || left->category() != common::TypeCategory::Derived || left->IsUnlimitedPolymorphic())
      return nullptr;
    Sides sides{{*left, assignment.lhs.Rank()}, {*right, assignment.rhs.Rank()}};
    if (const semantics::Symbol *ofScope = matchIn(context.FindScope(source).FindSymbol(assignmentName), sides))
      return ofScope;
    if (const semantics::Symbol *ofType = matchInType(sides))
      return ofType;
    return matchInComponents(left->GetDerivedTypeSpec());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkAssignments(semantics::SemanticsContext &context, const parser::Program &program) {
  AssignmentChecker checker(context);
  parser::Walk(program, checker);
}
