// Device data as the variables of STAT=, ERRMSG=, IOSTAT= and IOMSG= of host statements (CUDA Fortran guide 3.2.1):
// Fortran's runtime library would write them where they are.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute;
using cufort::frontend::TreeVisitor;

namespace {

class StatusVariableChecker : public TreeVisitor {
public:
  explicit StatusVariableChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// What is in the loops is device code.
  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }

  void Post(const parser::StatVariable &status) { check(*parser::Unwrap<parser::Variable>(status.v)); }
  void Post(const parser::MsgVariable &message) { check(*parser::Unwrap<parser::Variable>(message.v)); }

private:
  void check(const parser::Variable &variable) {
    using common::CUDADataAttr;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, variable);
    auto attribute = expr ? dataAttribute(*expr) : std::nullopt;
    if (attribute != CUDADataAttr::Device && attribute != CUDADataAttr::Constant)
      return;
    if (!semantics::FindCUDADeviceContext(&context.FindScope(variable.GetSource())))
      context.Say(
          variable.GetSource(),
          "A host statement cannot leave its status or message in '%s', which is device data: give it a host variable, and assign that"_err_en_US,
          variable.GetSource());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkStatusVariables(semantics::SemanticsContext &context, const parser::Program &program) {
  StatusVariableChecker checker{context};
  parser::Walk(program, checker);
}
