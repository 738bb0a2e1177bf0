#include "frontend/Parse/DeviceComponents.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"

using namespace Fortran;

/// True if the host cannot read what `symbol` holds; managed data it can.
static bool isHiddenFromHost(const semantics::Symbol &symbol) {
  const auto *object = symbol.GetUltimate().detailsIf<semantics::ObjectEntityDetails>();
  auto attribute = object ? object->cudaDataAttr() : std::nullopt;
  return attribute == common::CUDADataAttr::Device || attribute == common::CUDADataAttr::Constant;
}

static void collect(const semantics::Scope &scope, std::vector<std::string> &found) {
  if (scope.IsDerivedType() && scope.symbol())
    for (const auto &[name, symbol] : scope)
      if (isHiddenFromHost(*symbol))
        found.push_back(scope.symbol()->name().ToString() + "." + name.ToString());
  for (const semantics::Scope &child : scope.children())
    collect(child, found);
}

std::vector<std::string> cufort::frontend::deviceComponents(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  collect(context.globalScope(), found);
  return found;
}
