// The list of settings without effect: an entry goes when a part of the compiler obeys it.

#include "driver/Options/SettingsWithoutEffect.h"

using namespace cufort::driver;

void cufort::driver::warnOfSettingsWithoutEffect(const Invocation &invocation, Messages &messages) {
  const LanguageSettings &language = invocation.language;
  const CodeGenSettings &codeGen = invocation.codeGen;
  const DeviceSettings &device = invocation.gpu.device;
  const struct {
    bool asked;
    const char *option;
    const char *instead;
  } list[] = {
      {language.unixLogical, "-Munixlogical", "odd values are true"},
      {language.oneTripLoops, "-Monetrip", "loops without iterations are skipped"},
      {language.boundsChecks, "-Mbounds", "set CUFORT_CHECK=1 for the checks of the emulated device"},
      {language.pointerChecks, "-Mchkptr", "pointers are not checked"},
      {!codeGen.codeModel.empty() && codeGen.codeModel != "small", "-mcmodel", "the small code model is used"},
      {codeGen.trapMask != 0, "-Ktrap", "floating-point exceptions do not trap"},
      {codeGen.relaxedMath, "-Mfprelaxed", "divisions and square roots of the host are exact"},
      {!device.relocatable, "-gpu=nordc", "device code is finished at link time"},
      {device.checks, "-gpu=check", "set CUFORT_CHECK=1 for the checks of the emulated device"},
      {device.loadsBypassL1, "-gpu=loadcache:L2", "loads are cached as the GPU does by default"},
      {invocation.reports.any() && !invocation.reports.time, "-Minfo", "nothing is reported"},
      {invocation.reports.warningsAreErrors, "-Werror", "warnings do not fail the compilation"},
  };
  for (const auto &entry : list)
    if (entry.asked)
      messages.warning(std::string("'") + entry.option + "' has no effect yet: " + entry.instead);
}
