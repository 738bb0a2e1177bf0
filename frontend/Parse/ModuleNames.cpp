// Flang looks for the scope of each USE by its place in the source: with OpenMP the names of modules must be in it. The
// linker puts `resolveOmpParts` below in the place of the function that does so (--wrap, see CMakeLists.txt).

#include "frontend/Parse/ModuleNames.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include <vector>

using namespace Fortran;

namespace {

/// A USE statement, the name that it has got, and one that stands in the source.
struct NamedModule {
  parser::UseStmt *use;
  parser::CharBlock name, place;
};

/// Those of the source that is being compiled.
std::vector<NamedModule> named;

} // namespace

#define RESOLVE_OMP_PARTS "_ZN7Fortran9semantics15ResolveOmpPartsERNS0_16SemanticsContextERKNS_6parser11ProgramUnitE"

/// semantics::ResolveOmpParts.
void flangResolveOmpParts(semantics::SemanticsContext &, const parser::ProgramUnit &) asm("__real_" RESOLVE_OMP_PARTS);

/// What Flang calls in its place.
void resolveOmpParts(semantics::SemanticsContext &, const parser::ProgramUnit &) asm("__wrap_" RESOLVE_OMP_PARTS);

void resolveOmpParts(semantics::SemanticsContext &context, const parser::ProgramUnit &unit) {
  for (const NamedModule &module : named)
    module.use->moduleName.source = module.place;
  flangResolveOmpParts(context, unit);
  for (const NamedModule &module : named)
    module.use->moduleName.source = module.name;
}

void cufort::frontend::nameModule(parser::UseStmt &use, parser::CharBlock name, parser::CharBlock place) {
  use.moduleName.source = name;
  named.push_back({&use, name, place});
}

void cufort::frontend::forgetModuleNames() { named.clear(); }
