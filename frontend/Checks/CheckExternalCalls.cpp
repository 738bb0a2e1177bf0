// Calls without an interface of procedures that the same source defines: what those do with their arguments is known.

#include "frontend/Checks/CallVisitor.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using common::CUDADataAttr;
using cufort::frontend::CallVisitor, cufort::frontend::dataAttribute, cufort::frontend::forEachArgument;

namespace {

/// True for a dummy argument whose memory is the host's.
bool isOfHost(const semantics::Symbol &dummy) {
  const auto *object = dummy.detailsIf<semantics::ObjectEntityDetails>();
  if (!object || object->ignoreTKR().test(common::IgnoreTKR::Device))
    return false;
  auto attribute = object->cudaDataAttr();
  return !attribute || attribute == CUDADataAttr::Pinned;
}

class ExternalCallChecker final : public CallVisitor {
public:
  using CallVisitor::CallVisitor;

private:
  void visit(const semantics::Symbol &procedure, const evaluate::ActualArguments &arguments) override {
    if (const semantics::SubprogramDetails *definition = definitionOf(procedure))
      forEachArgument(*definition, arguments,
                      [&](const auto &dummy, const auto &argument, const auto &expr) { check(dummy, argument, expr); });
  }

  /// The external host procedure that `procedure` is, of which the caller has no interface; null if that is not known.
  const semantics::SubprogramDetails *definitionOf(const semantics::Symbol &procedure) const {
    const auto *name = procedure.detailsIf<semantics::ProcEntityDetails>();
    if (name && (name->procInterface() || semantics::IsDummy(procedure) || semantics::IsPointer(procedure)))
      return nullptr;
    // Flang knows the procedure if it stands before the call.
    if (!name && !procedure.owner().IsGlobal())
      return nullptr;
    auto found = context.globalScope().find(procedure.name());
    const auto *definition = found == context.globalScope().end()
                                 ? nullptr
                                 : found->second->GetUltimate().detailsIf<semantics::SubprogramDetails>();
    auto attributes = definition ? definition->cudaSubprogramAttrs() : std::nullopt;
    bool isOfHost = !attributes || attributes == common::CUDASubprogramAttrs::Host;
    return definition && !definition->isInterface() && isOfHost ? definition : nullptr;
  }

  /// The text is that of calls with an interface.
  void check(const semantics::Symbol &dummy, const evaluate::ActualArgument &argument,
             const semantics::SomeExpr &expr) {
    auto attribute = dataAttribute(expr);
    if (!isOfHost(dummy) || (attribute != CUDADataAttr::Device && attribute != CUDADataAttr::Constant))
      return;
    context.Say(
        argument.sourceLocation().value_or(source),
        "dummy argument '%s=' has no CUDA data attribute but its associated actual argument has ATTRIBUTES(%s)"_err_en_US,
        dummy.name(), attribute == CUDADataAttr::Device ? "DEVICE" : "CONSTANT");
  }
};

} // namespace

void cufort::frontend::checkExternalCalls(semantics::SemanticsContext &context, const parser::Program &program) {
  ExternalCallChecker checker(context);
  parser::Walk(program, checker);
}
