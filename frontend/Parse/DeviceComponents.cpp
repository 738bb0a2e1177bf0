#include "frontend/Parse/DeviceComponents.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
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
