#include "frontend/Parse/DeviceComponents.h"
#include "flang/Lower/Mangler.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace Fortran;

using Visit = llvm::function_ref<void(const semantics::Scope &, parser::CharBlock name, const semantics::Symbol &)>;

/// Calls `visit` with each symbol of the program, and the scope and name that it has.
static void forEachSymbol(const semantics::Scope &scope, Visit visit) {
  for (const auto &[name, symbol] : scope)
    visit(scope, name, *symbol);
  for (const semantics::Scope &child : scope.children())
    forEachSymbol(child, visit);
}

std::vector<std::string> cufort::frontend::deviceComponents(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  forEachSymbol(context.globalScope(),
                [&](const semantics::Scope &scope, parser::CharBlock name, const semantics::Symbol &symbol) {
                  if (scope.IsDerivedType() && scope.symbol() && isHiddenFromHost(symbol))
                    found.push_back(scope.symbol()->name().ToString() + "." + name.ToString());
                });
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

std::vector<std::string> cufort::frontend::deviceFunctions(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  forEachSymbol(context.globalScope(),
                [&](const semantics::Scope &scope, parser::CharBlock, const semantics::Symbol &symbol) {
                  const semantics::Symbol *result = scope.IsDerivedType() ? nullptr : resultOf(symbol);
                  if (result && semantics::IsPointer(*result) && isHiddenFromHost(*result))
                    found.push_back(lower::mangle::mangleName(symbol));
                });
  return found;
}
