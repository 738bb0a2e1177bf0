// Allocatable and pointer components without an attribute, in device code. Their descriptors are where the variable
// is; their memory is the host's, unless the program has seen to it that the device reaches it.

#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute;
using cufort::frontend::isDeviceOnly;
using cufort::frontend::isInKernel;
using cufort::frontend::isOfDevice;
using cufort::frontend::StatementVisitor;

namespace {

/// True unless the components of `variable` are a thread's to allocate, or may be.
bool isFromHost(const semantics::Symbol &variable) {
  const semantics::Scope &owner = variable.GetUltimate().owner();
  return isOfDevice(variable) && (!isDeviceOnly(owner) || (semantics::IsDummy(variable) && isInKernel(owner)));
}

class ComponentChecker : public StatementVisitor {
public:
  explicit ComponentChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::StructureComponent &reference) {
    const semantics::Symbol *variable = parser::GetFirstName(reference).symbol;
    const semantics::Symbol *component = reference.component.symbol;
    if (!variable || !component || !isFromHost(*variable) || !isDeviceOnly(context.FindScope(source)))
      return;
    if (!semantics::IsAllocatableOrPointer(*component) || component->Rank() == 0 || dataAttribute(*component) ||
        !said.insert(component).second)
      return;
    context.Say(
        reference.component.source,
        "The component '%s' is in memory of the host, which the device need not reach; give it the device, managed or pinned attribute"_warn_en_US,
        component->name());
  }

private:
  semantics::SemanticsContext &context;
  std::set<const semantics::Symbol *> said; ///< components, one warning each
};

} // namespace

void cufort::frontend::checkHostComponents(semantics::SemanticsContext &context, const parser::Program &program) {
  using common::LanguageFeature;
  if (context.IsEnabled(LanguageFeature::CudaManaged) || context.IsEnabled(LanguageFeature::CudaUnified))
    return;
  ComponentChecker checker{context};
  parser::Walk(program, checker);
}
