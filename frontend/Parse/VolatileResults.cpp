#include "frontend/Parse/VolatileResults.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;

static void dropIn(semantics::Scope &scope) {
  for (auto &[name, symbol] : scope)
    if (symbol->has<semantics::ObjectEntityDetails>() && semantics::IsFunctionResult(*symbol))
      symbol->attrs().reset(semantics::Attr::VOLATILE);
  for (semantics::Scope &child : scope.children())
    dropIn(child);
}

void cufort::frontend::dropVolatileOfResults(semantics::SemanticsContext &context) { dropIn(context.globalScope()); }
