#include "frontend/Checks/LengthParameters.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

using namespace Fortran;
using namespace Fortran::parser::literals;

/// The type of `symbol`, a variable, if it has length parameters; else null.
static const semantics::DerivedTypeSpec *typeWithLength(const semantics::Symbol &symbol) {
  const semantics::DeclTypeSpec *type = symbol.has<semantics::ObjectEntityDetails>() ? symbol.GetType() : nullptr;
  const semantics::DerivedTypeSpec *derived = type ? type->AsDerived() : nullptr;
  return derived && semantics::CountLenParameters(*derived) > 0 ? derived : nullptr;
}

static void checkScope(semantics::SemanticsContext &context, const semantics::Scope &scope) {
  if (scope.IsModuleFile() || scope.IsIntrinsicModules())
    return;
  if (!scope.IsDerivedType())
    for (const auto &[name, symbol] : scope)
      if (const semantics::DerivedTypeSpec *type = typeWithLength(*symbol))
        context.Say(symbol->name(),
                    "The type '%s' of '%s' has length parameters (LEN), which are not supported: give it allocatable "
                    "components of that length, or make it a KIND parameter if it is a constant"_err_en_US,
                    type->name(), symbol->name());
  for (const semantics::Scope &child : scope.children())
    checkScope(context, child);
}

void cufort::frontend::checkLengthParameters(semantics::SemanticsContext &context) {
  checkScope(context, context.globalScope());
}
