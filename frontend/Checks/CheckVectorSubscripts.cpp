// Elements that a vector subscript selects, as actual arguments of host code: the host copies them to memory of its
// own, and takes no copy back.

#include "frontend/Checks/CallVisitor.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using common::CUDADataAttr;
using cufort::frontend::CallVisitor, cufort::frontend::dataAttribute, cufort::frontend::forEachArgument;

namespace {

/// True for a dummy argument whose memory is not the host's.
bool wantsDeviceData(const semantics::Symbol &dummy) {
  auto attribute = dataAttribute(dummy);
  return attribute && attribute != CUDADataAttr::Pinned && !dummy.attrs().test(semantics::Attr::VALUE);
}

class VectorSubscriptChecker final : public CallVisitor {
public:
  using CallVisitor::CallVisitor;
  using CallVisitor::Post;
  using CallVisitor::Pre;

  void Post(const parser::CallStmt &call) {
    const semantics::Symbol *kernel = call.chevrons && call.typedCall ? call.typedCall->proc().GetSymbol() : nullptr;
    if (kernel)
      visit(kernel->GetUltimate(), call.typedCall->arguments());
    else
      CallVisitor::Post(call);
  }

private:
  void visit(const semantics::Symbol &procedure, const evaluate::ActualArguments &arguments) override {
    const auto *details = procedure.detailsIf<semantics::SubprogramDetails>();
    if (!details || isInDeviceCode())
      return;
    forEachArgument(*details, arguments, [&](const auto &dummy, const auto &argument, const auto &expr) {
      if (wantsDeviceData(dummy) && evaluate::HasVectorSubscript(expr))
        context.Say(
            argument.sourceLocation().value_or(source),
            "the dummy argument '%s' is %s data, and what a vector subscript selects is copied to the memory of the host: assign it to a %s array and pass that"_err_en_US,
            dummy.name(), attributeOf(dummy), attributeOf(dummy));
    });
  }

  static const char *attributeOf(const semantics::Symbol &dummy) {
    return dataAttribute(dummy) == CUDADataAttr::Managed ? "managed" : "device";
  }
};

} // namespace

void cufort::frontend::checkVectorSubscripts(semantics::SemanticsContext &context, const parser::Program &program) {
  if (context.IsEnabled(common::LanguageFeature::CudaUnified))
    return;
  VectorSubscriptChecker checker(context);
  parser::Walk(program, checker);
}
