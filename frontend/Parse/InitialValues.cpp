#include "frontend/Parse/InitialValues.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;

namespace {

/// The initial value of `symbol` if lowering forgets it, else null.
const evaluate::Expr<evaluate::SomeType> *forgottenValue(const semantics::Symbol &symbol) {
  const auto *object = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (!object || !object->init() || symbol.attrs().test(semantics::Attr::PARAMETER) ||
      symbol.attrs().test(semantics::Attr::POINTER))
    return nullptr;
  return object->cudaDataAttr() || semantics::HasCUDAComponent(symbol) ? &*object->init() : nullptr;
}

/// `variable = value`, analysed.
parser::ExecutionPartConstruct createAssignment(semantics::Symbol &variable,
                                                const evaluate::Expr<evaluate::SomeType> &value) {
  auto designate = [&] {
    parser::Name name{variable.name(), &variable};
    parser::Designator designator{parser::DataRef{std::move(name)}};
    designator.source = variable.name();
    return common::Indirection<parser::Designator>{std::move(designator)};
  };
  parser::Expr expr{designate()}; // stands for the value: only what has been analysed counts
  expr.source = variable.name();
  parser::AssignmentStmt assignment{parser::Variable{designate()}, std::move(expr)};
  auto left = evaluate::AsGenericExpr(variable);
  auto *analysed = new evaluate::GenericAssignmentWrapper{
      evaluate::Assignment{std::move(*left), evaluate::Expr<evaluate::SomeType>{value}}};
  assignment.typedAssignment.Reset(analysed, evaluate::GenericAssignmentWrapper::Deleter);
  parser::Statement<parser::ActionStmt> statement{
      std::nullopt, parser::ActionStmt{common::Indirection<parser::AssignmentStmt>{std::move(assignment)}}};
  statement.source = variable.name();
  return parser::ExecutionPartConstruct{parser::ExecutableConstruct{std::move(statement)}};
}

} // namespace

void cufort::frontend::assignInitialValues(semantics::SemanticsContext &context, parser::Program &program) {
  for (parser::ProgramUnit &unit : program.v) {
    auto *main = std::get_if<common::Indirection<parser::MainProgram>>(&unit.u);
    if (!main)
      continue;
    parser::Block &body = std::get<parser::ExecutionPart>(main->value().t).v;
    for (semantics::Scope &scope : context.globalScope().children())
      if (scope.kind() == semantics::Scope::Kind::MainProgram)
        for (const semantics::MutableSymbolRef &symbol : scope.GetSymbols())
          if (const auto *value = forgottenValue(*symbol))
            body.push_front(createAssignment(*symbol, *value));
  }
}
