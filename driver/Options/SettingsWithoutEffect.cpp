// The list of settings without effect: an entry goes when a part of the compiler obeys it.

#include "driver/Options/SettingsWithoutEffect.h"

using namespace cufort::driver;

void cufort::driver::warnOfSettingsWithoutEffect(const Invocation &invocation, Messages &messages) {
  const LanguageSettings &language = invocation.language;
  const ReportSettings &reports = invocation.reports;
  const struct {
    bool asked;
    const char *option;
    const char *instead;
  } list[] = {
      {language.oneTripLoops, "-Monetrip", "loops without iterations are skipped"},
      {invocation.link.mpi, "-Mmpi",
       "compile and link with mpif90 of the MPI library (OMPI_FC=cufort or MPICH_FC=cufort makes it call cufort)"},
      {reports.any() && !reports.time && !reports.accelerator, "-Minfo", "only kernels are reported (-Minfo=accel)"},
  };
  for (const auto &entry : list)
    if (entry.asked)
      messages.warning(std::string("'") + entry.option + "' has no effect yet: " + entry.instead);
}
