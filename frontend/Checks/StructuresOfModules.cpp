// RECORD /name/ for a STRUCTURE of a module that is used.
//
// Flang finds the structure by its name, and then looks for its type where the RECORD stands and in the scopes around
// that. The linker puts the function below in the place of Flang's (--wrap, see CMakeLists.txt): the type is in the
// scope of the structure, under the structure's own symbol instead of that of its use.

#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/type.h"

using namespace Fortran::semantics;

#define FIND_DERIVED_TYPE                                                                                              \
  "_ZNK7Fortran9semantics5Scope27FindInstantiatedDerivedTypeERKNS0_15DerivedTypeSpecENS0_12DeclTypeSpec8CategoryE"

const DeclTypeSpec *flangFindDerivedType(const Scope *scope, const DerivedTypeSpec &type,
                                         DeclTypeSpec::Category category) asm("__real_" FIND_DERIVED_TYPE);
const DeclTypeSpec *findDerivedType(const Scope *scope, const DerivedTypeSpec &type,
                                    DeclTypeSpec::Category category) asm("__wrap_" FIND_DERIVED_TYPE);

const DeclTypeSpec *findDerivedType(const Scope *scope, const DerivedTypeSpec &type, DeclTypeSpec::Category category) {
  if (const DeclTypeSpec *found = flangFindDerivedType(scope, type, category))
    return found;
  // The name of a structure has its slashes.
  if (type.name().empty() || *type.name().begin() != '/')
    return nullptr;
  const Symbol &structure = type.typeSymbol();
  DerivedTypeSpec ofModule{structure.name(), structure};
  ofModule.CookParameters(scope->context().foldingContext());
  return flangFindDerivedType(&structure.owner(), ofModule, category);
}
