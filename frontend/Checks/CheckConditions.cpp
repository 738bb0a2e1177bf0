// Device data in the conditions of host statements (CUDA Fortran guide 3.2.1): host code may name it in declarations,
// ALLOCATE and its like, assignments, and as an argument.

#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceCalculations.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isHiddenFromHost, cufort::frontend::TreeVisitor;

namespace {

/// Finds the device variable that the host needs the value of. Functions other than those of elements do something
/// else with their arguments: they reduce them, ask about them, or have device dummies.
struct DeviceValueFinder : evaluate::AnyTraverse<DeviceValueFinder, const semantics::Symbol *> {
  using Result = const semantics::Symbol *;
  using Base = evaluate::AnyTraverse<DeviceValueFinder, Result>;
  using Base::operator();
  DeviceValueFinder() : Base(*this) {}

  Result operator()(const semantics::Symbol &symbol) const {
    const semantics::Symbol &variable = semantics::ResolveAssociations(symbol);
    return isHiddenFromHost(variable) ? &variable : nullptr;
  }
  Result operator()(const evaluate::DescriptorInquiry &) const { return nullptr; }
  Result operator()(const evaluate::TypeParamInquiry &) const { return nullptr; }
  Result operator()(const evaluate::ProcedureRef &reference) const {
    const evaluate::SpecificIntrinsic *intrinsic = reference.proc().GetSpecificIntrinsic();
    return intrinsic && cufort::frontend::isArrayFunction(intrinsic->name) ? Base::operator()(reference) : nullptr;
  }
};

class ConditionChecker : public TreeVisitor {
public:
  explicit ConditionChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// What is in the loops is device code.
  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }

  void Post(const parser::IfStmt &statement) { check(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::IfThenStmt &statement) { check(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::ElseIfStmt &statement) { check(std::get<parser::ScalarLogicalExpr>(statement.t)); }
  void Post(const parser::LoopControl &control) {
    if (const auto *condition = std::get_if<parser::ScalarLogicalExpr>(&control.u))
      check(*condition);
  }
  void Post(const parser::SelectCaseStmt &statement) { check(std::get<parser::Scalar<parser::Expr>>(statement.t)); }

private:
  template <typename Condition>
  void check(const Condition &condition) {
    const parser::Expr &source = *parser::Unwrap<parser::Expr>(condition);
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    if (!expr || semantics::FindCUDADeviceContext(&context.FindScope(source.source)))
      return;
    if (const semantics::Symbol *variable = DeviceValueFinder()(*expr))
      context.Say(
          source.source,
          "The condition of a host statement cannot read '%s', which is device data: assign it to a host variable first"_err_en_US,
          variable->name());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkConditions(semantics::SemanticsContext &context, const parser::Program &program) {
  ConditionChecker checker{context};
  parser::Walk(program, checker);
}
