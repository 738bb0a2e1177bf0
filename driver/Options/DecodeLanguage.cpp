// Source form, preprocessing, search directories and language switches.
#include "driver/Options/Errors.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

MacroDefinition macroFromOption(const Arg *argument) {
  llvm::StringRef text = argument->getValue();
  if (argument->getOption().matches(OPT_U))
    return {text.str(), "", /*undefine=*/true};
  auto [name, value] = text.split('=');
  bool hasValue = name.size() != text.size();
  return {name.str(), hasValue ? value.str() : "1", /*undefine=*/false};
}

void decodePreprocessing(const InputArgList &arguments, Invocation &invocation) {
  for (const Arg *argument : arguments.filtered(OPT_D, OPT_U))
    invocation.language.macros.push_back(macroFromOption(argument));
  invocation.language.includeDirs = arguments.getAllArgValues(OPT_I);
  if (const Arg *last = arguments.getLastArg(OPT_Mpreprocess, OPT_Mnopreprocess))
    invocation.preprocess = last->getOption().matches(OPT_Mpreprocess);
  if (const Arg *last = arguments.getLastArg(OPT_module, OPT_J))
    invocation.moduleDir = last->getValue();
}

void decodeDependencies(const InputArgList &arguments, DependencySettings &dependencies) {
  dependencies.instead = arguments.hasArg(OPT_M, OPT_MM);
  dependencies.wanted = dependencies.instead || arguments.hasArg(OPT_MD, OPT_MMD);
  dependencies.emptyRules = arguments.hasArg(OPT_MP);
  dependencies.file = arguments.getLastArgValue(OPT_MF).str();
  for (const Arg *target : arguments.filtered(OPT_MT, OPT_MQ))
    dependencies.targets.push_back(target->getValue());
}

llvm::Error decodeForm(const InputArgList &arguments, Invocation &invocation) {
  if (const Arg *last = arguments.getLastArg(OPT_Mfree, OPT_Mfixed))
    invocation.form = last->getOption().matches(OPT_Mfree) ? SourceForm::Free : SourceForm::Fixed;
  const Arg *width = arguments.getLastArg(OPT_Mextend, OPT_Mnoextend, OPT_ffixed_line_length_EQ);
  if (!width || width->getOption().matches(OPT_Mnoextend))
    return llvm::Error::success();
  if (width->getOption().matches(OPT_Mextend)) {
    invocation.language.fixedColumns = 132;
    return llvm::Error::success();
  }
  if (llvm::StringRef(width->getValue()) == "none") {
    invocation.language.fixedColumns = 0;
    return llvm::Error::success();
  }
  llvm::Expected<unsigned> columns = parseNumber("-ffixed-line-length=", width->getValue());
  if (!columns)
    return columns.takeError();
  invocation.language.fixedColumns = *columns;
  return llvm::Error::success();
}

llvm::Error decodeKinds(const InputArgList &arguments, LanguageSettings &language) {
  if (const Arg *last = arguments.getLastArg(OPT_i2, OPT_i4, OPT_i8)) {
    bool two = last->getOption().matches(OPT_i2), eight = last->getOption().matches(OPT_i8);
    language.integerKind = two ? 2 : eight ? 8 : 4;
  }
  if (arguments.hasFlag(OPT_r8, OPT_r4, false))
    language.realKind = 8;
  const Arg *allocatable = arguments.getLastArg(OPT_Mallocatable_EQ);
  if (!allocatable)
    return llvm::Error::success();
  llvm::StringRef value = allocatable->getValue();
  if (value != "95" && value != "03")
    return unknownValue("-Mallocatable=", value, {"95", "03"});
  language.reallocateLhs = value == "03";
  return llvm::Error::success();
}

llvm::Error decodeConvert(const InputArgList &arguments, LanguageSettings &language) {
  const Arg *last = arguments.getLastArg(OPT_byteswapio, OPT_fconvert_EQ);
  if (!last)
    return llvm::Error::success();
  language.unformattedConvert = "swap";
  if (last->getOption().matches(OPT_byteswapio))
    return llvm::Error::success();
  language.unformattedConvert = last->getValue();
  llvm::StringRef known[] = {"native", "swap", "big-endian", "little-endian"};
  if (!llvm::is_contained(known, language.unformattedConvert))
    return unknownValue("-fconvert=", language.unformattedConvert, known);
  return llvm::Error::success();
}

/// Returns true if -fcheck= asks for `what`; "all" asks for everything.
bool checkIsOn(const InputArgList &arguments, llvm::StringRef what) {
  for (const std::string &list : arguments.getAllArgValues(OPT_fcheck_EQ))
    for (llvm::StringRef value : splitList(list))
      if (value == what || value == "all")
        return true;
  return false;
}

void decodeSwitches(const InputArgList &arguments, LanguageSettings &language) {
  language.backslashEscapes = !arguments.hasFlag(OPT_Mbackslash, OPT_Mbackslash_no, false);
  language.implicitNone = arguments.hasFlag(OPT_Mdclchk, OPT_Mdclchk_no, false);
  language.saveLocals = arguments.hasFlag(OPT_Msave, OPT_Msave_no, false);
  language.unixLogical = arguments.hasFlag(OPT_Munixlogical, OPT_Munixlogical_no, false);
  language.debugLines = arguments.hasFlag(OPT_Mdlines, OPT_Mdlines_no, false);
  language.oneTripLoops = arguments.hasFlag(OPT_Monetrip, OPT_Monetrip_no, false);
  language.warnNonstandard = arguments.hasFlag(OPT_Mstandard, OPT_Mstandard_no, false);
  language.boundsChecks = arguments.hasFlag(OPT_Mbounds, OPT_Mbounds_no, checkIsOn(arguments, "bounds"));
  language.pointerChecks = arguments.hasFlag(OPT_Mchkptr, OPT_Mchkptr_no, checkIsOn(arguments, "pointer"));
}

} // namespace

llvm::Error cufort::driver::decodeLanguage(const InputArgList &arguments, Invocation &invocation) {
  decodePreprocessing(arguments, invocation);
  decodeDependencies(arguments, invocation.dependencies);
  decodeSwitches(arguments, invocation.language);
  if (llvm::Error error = decodeForm(arguments, invocation))
    return error;
  if (llvm::Error error = decodeKinds(arguments, invocation.language))
    return error;
  return decodeConvert(arguments, invocation.language);
}
