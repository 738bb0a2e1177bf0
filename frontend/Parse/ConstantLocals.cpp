// An initial value, or DATA, implies SAVE: one variable for all threads, which device code does not have. As long as no
// statement changes it, no thread can tell it from a constant.

#include "frontend/Parse/ConstantLocals.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include <set>

using namespace Fortran;
using cufort::frontend::TreeVisitor;
using semantics::Attr;

namespace {

/// Finds the variables that statements change, or may change.
struct ChangeFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ChangeFinder(semantics::SemanticsContext &context) : context(context) {}

  bool Pre(const parser::DataStmt &) { return false; }

  /// What is assigned, read, or associated with a name.
  void Post(const parser::Variable &variable) { note(parser::GetFirstName(variable).symbol); }
  void Post(const parser::AssignStmt &statement) { note(std::get<parser::Name>(statement.t).symbol); }
  template <typename Variable, typename Bound>
  void Post(const parser::LoopBounds<Variable, Bound> &loop) {
    note(parser::UnwrapRef<parser::Name>(loop.name).symbol);
  }

  void Post(const parser::CallStmt &call) {
    if (call.typedCall)
      noteArguments(*call.typedCall);
  }
  void Post(const parser::Expr &source) {
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(source.u))
      return;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    const evaluate::ProcedureRef *call = expr ? evaluate::UnwrapProcedureRef(*expr) : nullptr;
    // Intrinsic functions change nothing.
    if (call && !call->proc().GetSpecificIntrinsic())
      noteArguments(*call);
  }

  std::set<const semantics::Symbol *> found;

private:
  void note(const semantics::Symbol *symbol) {
    if (symbol)
      found.insert(&symbol->GetUltimate());
  }

  static bool isOnlyRead(const semantics::SubprogramDetails *procedure, size_t index) {
    const semantics::Symbol *dummy =
        procedure && index < procedure->dummyArgs().size() ? procedure->dummyArgs()[index] : nullptr;
    return dummy && (dummy->attrs().test(Attr::INTENT_IN) || dummy->attrs().test(Attr::VALUE));
  }

  void noteArguments(const evaluate::ProcedureRef &call) {
    const semantics::Symbol *interface = call.proc().GetInterfaceSymbol();
    const auto *procedure = interface ? interface->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
    for (size_t i = 0; i < call.arguments().size(); ++i) {
      const auto &argument = call.arguments()[i];
      const semantics::SomeExpr *expr = argument ? argument->UnwrapExpr() : nullptr;
      if (expr && evaluate::IsVariable(*expr) && !isOnlyRead(procedure, i))
        note(evaluate::GetFirstSymbol(*expr));
    }
  }

  semantics::SemanticsContext &context;
};

/// True for a variable whose value is known, and that is reached by its name only.
bool hasOnlyItsName(const semantics::Symbol &symbol) {
  constexpr Attr others[] = {Attr::PARAMETER, Attr::POINTER,  Attr::ALLOCATABLE,
                             Attr::TARGET,    Attr::VOLATILE, Attr::ASYNCHRONOUS};
  const auto *object = symbol.detailsIf<semantics::ObjectEntityDetails>();
  if (!object || !object->init() || !evaluate::IsActuallyConstant(*object->init()) ||
      std::any_of(std::begin(others), std::end(others), [&](Attr attr) { return symbol.attrs().test(attr); }))
    return false;
  // Flang gives variables of device procedures the device attribute.
  auto attribute = object->cudaDataAttr();
  return (!attribute || attribute == common::CUDADataAttr::Device) && !semantics::FindEquivalenceSet(symbol) &&
         !symbol.test(semantics::Symbol::Flag::InNamelist);
}

void makeConstantsIn(semantics::Scope &scope, const std::set<const semantics::Symbol *> &changed) {
  if (scope.IsModuleFile() || scope.IsIntrinsicModules())
    return;
  // Components have the initial value in each object.
  if (semantics::FindCUDADeviceContext(&scope) && !scope.IsDerivedType())
    for (auto &[name, symbol] : scope)
      if (hasOnlyItsName(*symbol) && !changed.count(&*symbol)) {
        symbol->attrs().set(Attr::PARAMETER);
        symbol->attrs().reset(Attr::SAVE);
        symbol->get<semantics::ObjectEntityDetails>().set_cudaDataAttr(std::nullopt);
      }
  for (semantics::Scope &child : scope.children())
    makeConstantsIn(child, changed);
}

} // namespace

void cufort::frontend::makeConstantsOfLocals(semantics::SemanticsContext &context, const parser::Program &program) {
  ChangeFinder finder(context);
  parser::Walk(program, finder);
  makeConstantsIn(context.globalScope(), finder.found);
}
