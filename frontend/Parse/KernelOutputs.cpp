#include "frontend/Parse/KernelOutputs.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using semantics::Attr;

static void keepIn(semantics::Scope &scope) {
  for (auto &[name, symbol] : scope) {
    const auto *object = symbol->detailsIf<semantics::ObjectEntityDetails>();
    if (object && object->isDummy() && symbol->attrs().test(Attr::INTENT_OUT) && object->type() &&
        (object->type()->AsDerived() || object->type()->IsUnlimitedPolymorphic()) &&
        cufort::frontend::isInKernel(scope)) {
      symbol->attrs().set(Attr::INTENT_OUT, false);
      symbol->attrs().set(Attr::INTENT_INOUT);
    }
  }
  for (semantics::Scope &child : scope.children())
    keepIn(child);
}

void cufort::frontend::keepOutputsOfKernels(semantics::SemanticsContext &context) { keepIn(context.globalScope()); }
