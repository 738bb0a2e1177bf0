#include "frontend/Parse/WarningLevels.h"
#include "frontend/Parse/FrontendOptions.h"

using namespace Fortran::common;

namespace {

/// Flang has these on. Programs that were written for nvfortran, which says nothing of the kind, are full of them.
constexpr UsageWarning remarks[] = {UsageWarning::RealConstantWidening,
                                    UsageWarning::KnownBadImplicitInterface,
                                    UsageWarning::IncompatibleImplicitInterfaces,
                                    UsageWarning::ExternalInterfaceMismatch,
                                    UsageWarning::ProcPointerCompatibility,
                                    UsageWarning::Interoperability,
                                    UsageWarning::HomonymousSpecific,
                                    UsageWarning::HomonymousResult,
                                    UsageWarning::IgnoredIntrinsicFunctionType,
                                    UsageWarning::IgnoredDirective,
                                    UsageWarning::UnusedForallIndex,
                                    UsageWarning::UselessIomsg,
                                    UsageWarning::PreviousScalarUse,
                                    UsageWarning::ImplicitShared,
                                    UsageWarning::RedeclaredInaccessibleComponent,
                                    UsageWarning::NonVolatilePointerToVolatile,
                                    UsageWarning::HostAssociatedIntentOutInSpecExpr,
                                    UsageWarning::UseAssociationIntoSameNameSubprogram};
constexpr LanguageFeature extensions[] = {
    LanguageFeature::ExponentMatchingKindParam,  LanguageFeature::RedundantAttribute,
    LanguageFeature::IgnoreIrrelevantAttributes, LanguageFeature::SavedLocalInSpecExpr,
    LanguageFeature::ListDirectedSize,           LanguageFeature::EmptySequenceType,
    LanguageFeature::NonSequenceCrayPointee};

} // namespace

void cufort::frontend::setWarnings(LanguageFeatureControl &features, const FrontendOptions &options) {
  if (options.warnNonstandard)
    features.WarnOnAllNonstandard();
  // Quotes around a number by mistake, as a rule.
  features.EnableWarning(LanguageFeature::HollerithOrCharacterAsBOZ);
  if (options.remarks)
    return;
  for (UsageWarning warning : remarks)
    features.EnableWarning(warning, false);
  if (!options.warnNonstandard)
    for (LanguageFeature extension : extensions)
      features.EnableWarning(extension, false);
}
