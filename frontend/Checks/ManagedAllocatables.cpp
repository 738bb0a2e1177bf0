// The linker puts `resolveNames` below in the place of Flang's function (--wrap, see CMakeLists.txt).

#include "frontend/Checks/ManagedAllocatables.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include <utility>

using namespace Fortran;
using common::LanguageFeature;
using cufort::frontend::ManagedAllocatables;

static thread_local common::LanguageFeatureControl *current = nullptr;

ManagedAllocatables::ManagedAllocatables(common::LanguageFeatureControl &features) {
  current = features.IsEnabled(LanguageFeature::CudaManaged) ? &features : nullptr;
}

ManagedAllocatables::~ManagedAllocatables() { current = nullptr; }

#define RESOLVE_NAMES "_ZN7Fortran9semantics12ResolveNamesERNS0_16SemanticsContextERKNS_6parser7ProgramERNS0_5ScopeE"

bool flangResolveNames(semantics::SemanticsContext &context, const parser::Program &program,
                       semantics::Scope &top) asm("__real_" RESOLVE_NAMES);
bool resolveNames(semantics::SemanticsContext &context, const parser::Program &program,
                  semantics::Scope &top) asm("__wrap_" RESOLVE_NAMES);

bool resolveNames(semantics::SemanticsContext &context, const parser::Program &program, semantics::Scope &top) {
  // Also called for modules that are read meanwhile: the outermost call turns the feature on again.
  common::LanguageFeatureControl *features = std::exchange(current, nullptr);
  if (features)
    features->Enable(LanguageFeature::CudaManaged, false);
  bool result = flangResolveNames(context, program, top);
  if (features)
    features->Enable(LanguageFeature::CudaManaged, true);
  current = features;
  return result;
}
