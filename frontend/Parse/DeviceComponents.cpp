#include "frontend/Parse/DeviceComponents.h"
#include "flang/Lower/Mangler.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;

static void collect(const semantics::Scope &scope, std::vector<std::string> &found) {
  if (scope.IsDerivedType() && scope.symbol())
    for (const auto &[name, symbol] : scope)
      if (cufort::frontend::isHiddenFromHost(*symbol))
        found.push_back(scope.symbol()->name().ToString() + "." + name.ToString());
  for (const semantics::Scope &child : scope.children())
    collect(child, found);
}

std::vector<std::string> cufort::frontend::deviceComponents(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  collect(context.globalScope(), found);
  return found;
}

/// The result of the function that `symbol` is; null if it is none, or one that is not called by a name of its own.
static const semantics::Symbol *resultOf(const semantics::Symbol &symbol) {
  if (const auto *procedure = symbol.detailsIf<semantics::ProcEntityDetails>())
    return procedure->procInterface() && !procedure->isDummy() && !symbol.attrs().test(semantics::Attr::POINTER)
               ? resultOf(procedure->procInterface()->GetUltimate())
               : nullptr;
  const auto *procedure = symbol.detailsIf<semantics::SubprogramDetails>();
  return procedure && procedure->isFunction() && !procedure->isDummy() ? &procedure->result() : nullptr;
}

static void collectFunctions(const semantics::Scope &scope, std::vector<std::string> &found) {
  if (!scope.IsDerivedType())
    for (const auto &[name, symbol] : scope) {
      const semantics::Symbol *result = resultOf(*symbol);
      if (result && semantics::IsPointer(*result) && cufort::frontend::isHiddenFromHost(*result))
        found.push_back(lower::mangle::mangleName(*symbol));
    }
  for (const semantics::Scope &child : scope.children())
    collectFunctions(child, found);
}

std::vector<std::string> cufort::frontend::deviceFunctions(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  collectFunctions(context.globalScope(), found);
  return found;
}
