// The base of visitors that look at calls.
#pragma once

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/StatementVisitor.h"

namespace cufort::frontend {

/// Calls `visit` for every CALL and every reference to a function, but not for launches and intrinsics.
class CallVisitor : public StatementVisitor {
public:
  explicit CallVisitor(Fortran::semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const Fortran::parser::CUFKernelDoConstruct &) {
    ++kernels;
    return true;
  }
  void Post(const Fortran::parser::CUFKernelDoConstruct &) { --kernels; }

  void Post(const Fortran::parser::CallStmt &call) {
    if (call.typedCall && !call.chevrons)
      look(*call.typedCall);
  }
  void Post(const Fortran::parser::Expr &source) {
    using namespace Fortran;
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(source.u))
      return;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    if (const evaluate::ProcedureRef *call = expr ? evaluate::UnwrapProcedureRef(*expr) : nullptr)
      look(*call);
  }

protected:
  ~CallVisitor() = default;

  /// `procedure` is what is called.
  virtual void visit(const Fortran::semantics::Symbol &procedure,
                     const Fortran::evaluate::ActualArguments &arguments) = 0;

  bool isInKernelLoops() const { return kernels; }

  bool isInDeviceCode() const {
    return isInKernelLoops() || Fortran::semantics::FindCUDADeviceContext(&context.FindScope(source));
  }

  Fortran::semantics::SemanticsContext &context;

private:
  void look(const Fortran::evaluate::ProcedureRef &call) {
    const Fortran::semantics::Symbol *procedure = call.proc().GetSymbol();
    if (procedure && !call.proc().GetSpecificIntrinsic())
      visit(procedure->GetUltimate(), call.arguments());
  }

  int kernels = 0; ///< CUF kernels around the place
};

/// Calls `look(dummy, argument, expr)` for each of `arguments` that is an expression.
template <typename Look>
void forEachArgument(const Fortran::semantics::SubprogramDetails &procedure,
                     const Fortran::evaluate::ActualArguments &arguments, Look look) {
  size_t count = std::min(procedure.dummyArgs().size(), arguments.size());
  for (size_t i = 0; i < count; ++i) {
    const Fortran::semantics::Symbol *dummy = procedure.dummyArgs()[i];
    const Fortran::semantics::SomeExpr *expr = dummy && arguments[i] ? arguments[i]->UnwrapExpr() : nullptr;
    if (expr)
      look(*dummy, *arguments[i], *expr);
  }
}

} // namespace cufort::frontend
