// -Minfo, -Minform, -v and the other options about what is printed.
#include "driver/Options/Errors.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

struct InfoWord {
  llvm::StringLiteral name;
  bool ReportSettings::*member; ///< null: accepted, nothing to report
};

const InfoWord infoWords[] = {{"accel", &ReportSettings::accelerator},
                              {"acc", &ReportSettings::accelerator},
                              {"cuda", &ReportSettings::accelerator},
                              {"ccff", nullptr},
                              {"ftn", nullptr},
                              {"hpf", nullptr},
                              {"inline", &ReportSettings::inlining},
                              {"intensity", nullptr},
                              {"ipa", &ReportSettings::inlining},
                              {"loop", &ReportSettings::loops},
                              {"lre", nullptr},
                              {"mp", &ReportSettings::openMP},
                              {"opt", &ReportSettings::loops},
                              {"par", &ReportSettings::loops},
                              {"pcast", nullptr},
                              {"pfo", nullptr},
                              {"prof", nullptr},
                              {"stat", &ReportSettings::time},
                              {"stdpar", &ReportSettings::stdpar},
                              {"time", &ReportSettings::time},
                              {"unified", nullptr},
                              {"unroll", &ReportSettings::loops},
                              {"vect", &ReportSettings::loops}};

void setAll(ReportSettings &reports) {
  reports.accelerator = reports.inlining = reports.loops = reports.openMP = reports.stdpar = true;
}

void setInfo(llvm::StringRef value, ReportSettings &reports, Messages &messages) {
  if (value == "all")
    return setAll(reports);
  const InfoWord *word = llvm::find_if(infoWords, [&](const InfoWord &entry) { return entry.name == value; });
  if (word == std::end(infoWords)) {
    llvm::SmallVector<llvm::StringRef, 32> known{"all"};
    for (const InfoWord &entry : infoWords)
      known.push_back(entry.name);
    llvm::StringRef nearest = nearestWord(value, known);
    std::string hint =
        nearest.empty() ? "known: " + llvm::join(known, ", ") : ("did you mean '" + nearest + "'?").str();
    messages.warning("'-Minfo=" + value + "' reports nothing: unknown value; " + hint);
  } else if (word->member) {
    reports.*word->member = true;
  }
}

/// A wrong value changes nothing of the program, so that it is no error.
void decodeInfo(const InputArgList &arguments, ReportSettings &reports, Messages &messages) {
  for (const Arg *argument : arguments.filtered(OPT_Minfo, OPT_Minfo_EQ, OPT_Mnoinfo)) {
    if (argument->getOption().matches(OPT_Minfo))
      setAll(reports);
    else if (argument->getOption().matches(OPT_Mnoinfo))
      reports = ReportSettings();
    else
      for (llvm::StringRef value : splitList(argument->getValue()))
        setInfo(value, reports, messages);
  }
  reports.negative = arguments.hasArg(OPT_Mneginfo);
}

llvm::Error decodeInform(const InputArgList &arguments, ReportSettings &reports) {
  const Arg *last = arguments.getLastArg(OPT_Minform_EQ);
  if (!last)
    return llvm::Error::success();
  static const llvm::StringRef known[] = {"inform", "warn", "severe", "fatal"};
  const llvm::StringRef *level = llvm::find(known, llvm::StringRef(last->getValue()));
  if (level == std::end(known))
    return unknownValue("-Minform=", last->getValue(), known);
  reports.level = static_cast<InformLevel>(level - known);
  return llvm::Error::success();
}

llvm::Error decodeColor(const InputArgList &arguments, ReportSettings &reports) {
  llvm::StringRef when = arguments.getLastArgValue(OPT_fdiagnostics_color_EQ, "auto");
  if (when != "auto" && when != "always" && when != "never")
    return unknownValue("-fdiagnostics-color=", when, {"auto", "always", "never"});
  reports.color = when == "always" || (when == "auto" && llvm::sys::Process::StandardErrHasColors());
  return llvm::Error::success();
}

} // namespace

llvm::Error cufort::driver::decodeReports(const InputArgList &arguments, Invocation &invocation, Messages &messages) {
  ReportSettings &reports = invocation.reports;
  decodeInfo(arguments, reports, messages);
  if (llvm::Error error = decodeInform(arguments, reports))
    return error;
  if (llvm::Error error = decodeColor(arguments, reports))
    return error;
  reports.warnings = !arguments.hasArg(OPT_w) && reports.level <= InformLevel::Warn;
  reports.remarks = arguments.hasArg(OPT_Wall) || reports.level == InformLevel::Inform;
  reports.warningsAreErrors = arguments.hasArg(OPT_Werror);
  reports.verbose = arguments.hasArg(OPT_v);
  if (!reports.warnings)
    messages.disableWarnings();
  return llvm::Error::success();
}
