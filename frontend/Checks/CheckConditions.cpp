// Device data in the conditions of host statements and the bounds of host loops (CUDA Fortran guide 3.2.1): host code
// may name it in declarations, ALLOCATE and its like, assignments, and as an argument.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Checks/ValueFinder.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isHiddenFromHost, cufort::frontend::TreeVisitor, cufort::frontend::ValueFinder;

namespace {

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
  void Post(const parser::ArithmeticIfStmt &statement) { check(std::get<parser::Expr>(statement.t)); }
  void Post(const parser::ComputedGotoStmt &statement) { check(std::get<parser::ScalarIntExpr>(statement.t)); }
  void Post(const parser::SelectCaseStmt &statement) { check(std::get<parser::Scalar<parser::Expr>>(statement.t)); }
  void Post(const parser::LoopControl &control) {
    common::visit(common::visitors{
                      [this](const parser::ScalarLogicalExpr &condition) { check(condition); },
                      [this](const parser::LoopControl::Bounds &bounds) {
                        checkBounds(bounds.lower.thing, bounds.upper.thing, bounds.step);
                      },
                      [this](const parser::LoopControl::Concurrent &loop) {
                        checkConcurrent(std::get<parser::ConcurrentHeader>(loop.t));
                        for (const auto &locality : std::get<std::list<parser::LocalitySpec>>(loop.t))
                          checkLocality(locality);
                      },
                  },
                  control.u);
  }

private:
  void checkConcurrent(const parser::ConcurrentHeader &header) {
    for (const parser::ConcurrentControl &control : std::get<std::list<parser::ConcurrentControl>>(header.t)) {
      const auto &[name, lower, upper, step] = control.t;
      checkBounds(lower, upper, step);
    }
    if (const auto &mask = std::get<std::optional<parser::ScalarLogicalExpr>>(header.t))
      check(*mask);
  }

  /// Each iteration gets the value that the variable has before the loop.
  void checkLocality(const parser::LocalitySpec &locality) {
    const auto *initialised = std::get_if<parser::LocalitySpec::LocalInit>(&locality.u);
    if (!initialised)
      return;
    for (const parser::Name &name : initialised->v) {
      bool isOfHost = !semantics::FindCUDADeviceContext(&context.FindScope(name.source));
      if (isOfHost && name.symbol && isHiddenFromHost(*name.symbol))
        context.Say(
            name.source,
            "A host loop cannot read '%s' for LOCAL_INIT, which is device data: assign it to a host variable first"_err_en_US,
            name.source);
    }
  }

  template <typename Bound, typename Step>
  void checkBounds(const Bound &lower, const Bound &upper, const std::optional<Step> &step) {
    constexpr auto text =
        "The bounds of a host loop cannot read '%s', which is device data: assign it to a host variable first"_err_en_US;
    check(lower, text);
    check(upper, text);
    if (step)
      check(*step, text);
  }

  template <typename Control>
  void check(
      const Control &control,
      parser::MessageFixedText text =
          "The condition of a host statement cannot read '%s', which is device data: assign it to a host variable first"_err_en_US) {
    const parser::Expr &source = *parser::Unwrap<parser::Expr>(control);
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    if (!expr || semantics::FindCUDADeviceContext(&context.FindScope(source.source)))
      return;
    if (const semantics::Symbol *variable = ValueFinder(context, isHiddenFromHost)(*expr))
      context.Say(source.source, text, variable->name());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkConditions(semantics::SemanticsContext &context, const parser::Program &program) {
  ConditionChecker checker{context};
  parser::Walk(program, checker);
}
