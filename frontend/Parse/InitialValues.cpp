#include "frontend/Parse/InitialValues.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;

namespace {

/// True for a variable with a CUDA attribute, and for a part of one.
bool isOnDevice(const evaluate::Expr<evaluate::SomeType> &target) {
  const semantics::Symbol *variable = evaluate::GetFirstSymbol(target);
  const auto *object = variable ? variable->detailsIf<semantics::ObjectEntityDetails>() : nullptr;
  return object && object->cudaDataAttr();
}

/// The initial value of `symbol` if lowering forgets it, else null.
const evaluate::Expr<evaluate::SomeType> *forgottenValue(const semantics::Symbol &symbol) {
  const auto *object = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (!object || !object->init() || symbol.attrs().test(semantics::Attr::PARAMETER))
    return nullptr;
  // Pointers begin with null, and those to host variables as they should.
  if (semantics::IsPointer(symbol))
    return isOnDevice(*object->init()) ? &*object->init() : nullptr;
  return object->cudaDataAttr() || semantics::HasCUDAComponent(symbol) ? &*object->init() : nullptr;
}

/// Stands for a variable, and for a value: only what has been analysed counts.
parser::Designator designate(semantics::Symbol &variable) {
  parser::Name name{variable.name(), &variable};
  parser::Designator designator{parser::DataRef{std::move(name)}};
  designator.source = variable.name();
  return designator;
}

parser::Expr createExpression(semantics::Symbol &variable) {
  parser::Expr expr{common::Indirection<parser::Designator>{designate(variable)}};
  expr.source = variable.name();
  return expr;
}

/// `variable = value`, or `variable => value` for a pointer, analysed.
parser::ExecutionPartConstruct createAssignment(semantics::Symbol &variable,
                                                const evaluate::Expr<evaluate::SomeType> &value) {
  evaluate::Assignment analysed{*evaluate::AsGenericExpr(variable), evaluate::Expr<evaluate::SomeType>{value}};
  auto toStatement = [&](auto &&assignment) {
    assignment.typedAssignment.Reset(new evaluate::GenericAssignmentWrapper{std::move(analysed)},
                                     evaluate::GenericAssignmentWrapper::Deleter);
    parser::Statement<parser::ActionStmt> statement{std::nullopt,
                                                    parser::ActionStmt{common::Indirection{std::move(assignment)}}};
    statement.source = variable.name();
    return parser::ExecutionPartConstruct{parser::ExecutableConstruct{std::move(statement)}};
  };
  if (!semantics::IsPointer(variable))
    return toStatement(
        parser::AssignmentStmt{parser::Variable{common::Indirection{designate(variable)}}, createExpression(variable)});
  analysed.u = evaluate::Assignment::BoundsSpec{};
  return toStatement(parser::PointerAssignmentStmt{
      parser::DataRef{parser::Name{variable.name(), &variable}},
      parser::PointerAssignmentStmt::Bounds{std::list<parser::BoundsSpec>{}}, createExpression(variable)});
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
