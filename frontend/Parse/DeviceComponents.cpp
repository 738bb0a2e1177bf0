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

/// The result of the function that `symbol` is, or stands for; null if it is none.
static const semantics::Symbol *resultOf(const semantics::Symbol &symbol) {
  if (const auto *procedure = symbol.detailsIf<semantics::ProcEntityDetails>())
    return procedure->procInterface() ? resultOf(procedure->procInterface()->GetUltimate()) : nullptr;
  const auto *procedure = symbol.detailsIf<semantics::SubprogramDetails>();
  return procedure && procedure->isFunction() ? &procedure->result() : nullptr;
}

static bool isDummyProcedure(const semantics::Symbol &symbol) {
  const auto *entity = symbol.detailsIf<semantics::ProcEntityDetails>();
  const auto *subprogram = symbol.detailsIf<semantics::SubprogramDetails>();
  bool isDummy = (entity && entity->isDummy()) || (subprogram && subprogram->isDummy());
  return isDummy && !symbol.attrs().test(semantics::Attr::POINTER);
}

/// "procedure#n" of the dummy procedure `symbol`, whose argument number n, from 0, it is in FIR.
static std::optional<std::string> nameOfDummy(const semantics::Scope &scope, const semantics::Symbol &symbol) {
  const auto *procedure = scope.symbol() ? scope.symbol()->detailsIf<semantics::SubprogramDetails>() : nullptr;
  if (!procedure)
    return std::nullopt;
  // The address and the length of a string that is returned come first.
  const semantics::DeclTypeSpec *type = procedure->isFunction() ? procedure->result().GetType() : nullptr;
  size_t index = type && type->category() == semantics::DeclTypeSpec::Character ? 2 : 0;
  for (const semantics::Symbol *dummy : procedure->dummyArgs()) {
    if (dummy == &symbol)
      return lower::mangle::mangleName(*scope.symbol()) + "#" + std::to_string(index);
    index += dummy != nullptr;
  }
  return std::nullopt;
}

std::vector<std::string> cufort::frontend::deviceFunctions(semantics::SemanticsContext &context) {
  std::vector<std::string> found;
  forEachSymbol(context.globalScope(),
                [&](const semantics::Scope &scope, parser::CharBlock name, const semantics::Symbol &symbol) {
                  const semantics::Symbol *result = resultOf(symbol);
                  if (!result || !semantics::IsPointer(*result) || !isHiddenFromHost(*result))
                    return;
                  if (isDummyProcedure(symbol)) {
                    if (auto dummy = nameOfDummy(scope, symbol))
                      found.push_back(*dummy);
                  } else if (!scope.IsDerivedType()) {
                    found.push_back(lower::mangle::mangleName(symbol));
                  } else if (scope.symbol()) {
                    found.push_back(scope.symbol()->name().ToString() + "." + name.ToString());
                  }
                });
  return found;
}
