#include "driver/Jobs/Render.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/Predefines.h"
#include "driver/Options/Sources.h"
#include "llvm/ADT/StringExtras.h"

using namespace cufort::driver;

namespace {

using Command = std::vector<std::string>;

void addIf(Command &command, bool condition, const char *option) {
  if (condition)
    command.push_back(option);
}

void addStage(Command &command, Stage stage) {
  if (stage == Stage::Object)
    command.push_back("-c");
  else if (stage == Stage::Assembly)
    command.push_back("-S");
  else if (stage == Stage::Preprocess)
    command.push_back("-E");
  else
    command.push_back("-emit=" + stageName(stage).str());
}

void addForm(Command &command, const LanguageSettings &language, const FileTraits &suffix) {
  if (language.cuda != suffix.cuda)
    command.push_back(language.cuda ? "-cuda" : "-nocuda");
  if (language.form != suffix.form)
    command.push_back(language.form == SourceForm::Free ? "-Mfree" : "-Mfixed");
  if (language.preprocess != suffix.preprocess)
    command.push_back(language.preprocess ? "-Mpreprocess" : "-Mnopreprocess");
  if (language.fixedColumns != 72)
    command.push_back("-ffixed-line-length=" +
                      (language.fixedColumns ? std::to_string(language.fixedColumns) : "none"));
}

void addMacros(Command &command, const LanguageSettings &language, unsigned cudaVersion) {
  size_t predefined = predefinedMacros(language, cudaVersion).size();
  for (const MacroDefinition &macro : llvm::ArrayRef(language.macros).drop_front(predefined))
    command.push_back(macro.undefine ? "-U" + macro.name : "-D" + macro.name + "=" + macro.value);
}

void addDirectives(Command &command, const DirectiveSettings &directives) {
  if (directives.openMP)
    command.push_back(directives.openMPOffload ? "-mp=gpu" : "-mp");
  if (directives.openACC)
    command.push_back(directives.openACCOnGpu ? "-acc" : "-acc=multicore");
  if (directives.stdpar)
    command.push_back(directives.stdparOnGpu ? "-stdpar" : "-stdpar=multicore");
}

void addLanguage(Command &command, const LanguageSettings &language) {
  if (language.integerKind != 4)
    command.push_back("-i" + std::to_string(language.integerKind));
  addIf(command, language.realKind == 8, "-r8");
  addIf(command, !language.backslashEscapes, "-Mbackslash");
  addIf(command, !language.reallocateLhs, "-Mallocatable=95");
  addIf(command, language.implicitNone, "-Mdclchk");
  addIf(command, language.saveLocals, "-Msave");
  addIf(command, language.unixLogical, "-Munixlogical");
  addIf(command, language.debugLines, "-Mdlines");
  addIf(command, language.oneTripLoops, "-Monetrip");
  addIf(command, language.warnNonstandard, "-Mstandard");
  addIf(command, language.boundsChecks, "-Mbounds");
  addIf(command, language.pointerChecks, "-Mchkptr");
  if (!language.unformattedConvert.empty())
    command.push_back("-fconvert=" + language.unformattedConvert);
}

void addTraps(Command &command, uint32_t mask) {
  static const std::pair<uint32_t, const char *> names[] = {{TrapInvalid, "inv"},     {TrapDivideByZero, "divz"},
                                                            {TrapOverflow, "ovf"},    {TrapUnderflow, "unf"},
                                                            {TrapInexact, "inexact"}, {TrapDenormal, "denorm"}};
  std::string list;
  for (auto [bit, name] : names)
    if (mask & bit)
      list += (list.empty() ? "" : ",") + std::string(name);
  if (!list.empty())
    command.push_back("-Ktrap=" + list);
}

void addDebug(Command &command, DebugInfo debug) {
  if (debug == DebugInfo::Full)
    command.push_back("-gopt");
  else if (debug == DebugInfo::Lines)
    command.push_back("-g1");
}

void addCodeGen(Command &command, const CodeGenSettings &codeGen) {
  // -fast before -O, whose level counts.
  addIf(command, codeGen.reassociate, "-fast");
  command.push_back("-O" + std::to_string(codeGen.optLevel));
  addDebug(command, codeGen.debug);
  if (codeGen.relocation != Relocation::PIE)
    command.push_back(codeGen.relocation == Relocation::PIC ? "-fPIC" : "-fno-pic");
  if (!codeGen.cpu.empty())
    command.push_back("-march=" + codeGen.cpu);
  if (!codeGen.codeModel.empty())
    command.push_back("-mcmodel=" + codeGen.codeModel);
  addIf(command, codeGen.strictIEEE, "-Kieee");
  addIf(command, codeGen.relaxedMath, "-Mfprelaxed");
  if (codeGen.flushDenormals != codeGen.reassociate)
    command.push_back(codeGen.flushDenormals ? "-Mflushz" : "-Mnoflushz");
  if (codeGen.contract == codeGen.strictIEEE)
    command.push_back(codeGen.contract ? "-Mfma" : "-Mnofma");
  addIf(command, !codeGen.vectorize, "-Mnovect");
  addIf(command, !codeGen.unroll, "-Mnounroll");
  addIf(command, !codeGen.inlineCalls, "-Mnoinline");
  addIf(command, codeGen.stackArrays, "-Mstack_arrays");
  addIf(command, codeGen.traceback, "-traceback");
  addIf(command, codeGen.framePointer, "-Mframe");
  addTraps(command, codeGen.trapMask);
}

void addGpu(Command &command, const DeviceSettings &device, bool defaultTargets, bool keep) {
  std::string list;
  auto add = [&](bool condition, const std::string &value) {
    if (condition)
      list += (list.empty() ? "" : ",") + value;
  };
  if (!defaultTargets)
    for (const DeviceTarget &target : device.targets)
      add(true, "cc" + std::to_string(target.arch) + (target.suffix ? std::string(1, target.suffix) : ""));
  add(device.emulatedOnly, "emu");
  add(!device.relocatable, "nordc");
  add(device.fastMath, "fastmath");
  add(!device.fma, "nofma");
  if (device.flushDenormals != device.fastMath)
    add(true, device.flushDenormals ? "flushz" : "noflushz");
  add(device.loadsBypassL1, "loadcache:L2");
  add(!device.unroll, "nounroll");
  add(device.checks, "check");
  add(device.constantModuleData, "madconst");
  add(device.charStrings, "charstring");
  add(device.memory == MemoryModel::Pinned, "pinned");
  add(device.memory == MemoryModel::Managed, "mem:managed");
  add(device.memory == MemoryModel::Unified, "mem:unified");
  add(device.debug == DebugInfo::Lines, "lineinfo");
  add(device.debug == DebugInfo::Full, "debug");
  add(device.maxRegisters, "maxregcount:" + std::to_string(device.maxRegisters));
  add(device.printInfo, "ptxinfo");
  add(keep, "keep");
  if (!list.empty())
    command.push_back("-gpu=" + list);
}

void addReports(Command &command, const ReportSettings &reports) {
  static const std::pair<bool ReportSettings::*, const char *> infos[] = {
      {&ReportSettings::accelerator, "accel"}, {&ReportSettings::loops, "loop"},
      {&ReportSettings::inlining, "inline"},   {&ReportSettings::openMP, "mp"},
      {&ReportSettings::stdpar, "stdpar"},     {&ReportSettings::time, "time"}};
  static const char *levels[] = {"inform", "warn", "severe", "fatal"};
  std::string list;
  for (auto [member, name] : infos)
    if (reports.*member)
      list += (list.empty() ? "" : ",") + std::string(name);
  if (!list.empty())
    command.push_back("-Minfo=" + list);
  addIf(command, reports.negative, "-Mneginfo");
  if (reports.level != InformLevel::Warn)
    command.push_back(std::string("-Minform=") + levels[static_cast<unsigned>(reports.level)]);
  addIf(command, !reports.warnings && reports.level <= InformLevel::Warn, "-w");
  addIf(command, reports.remarks && reports.level != InformLevel::Inform, "-Wall");
  addIf(command, reports.warningsAreErrors, "-Werror");
}

void addResourceDir(Command &command, const RenderContext &context) {
  if (!context.resourceDir.empty())
    command.push_back("--resource-dir=" + context.resourceDir);
}

} // namespace

std::vector<std::string> cufort::driver::renderCompile(const CompileJob &job, const RenderContext &context) {
  const LanguageSettings &language = job.language;
  Command command = {context.program};
  addStage(command, job.stopAfter);
  addForm(command, language, classifyFile(job.input));
  addDirectives(command, language.directives);
  addGpu(command, job.device, context.defaultTargets, !job.keepPrefix.empty());
  addCodeGen(command, job.codeGen);
  addLanguage(command, language);
  addReports(command, job.reports);
  addMacros(command, language, job.device.cudaVersion);
  for (const std::string &directory : language.includeDirs)
    command.push_back("-I" + directory);
  if (!context.moduleDir.empty() && context.moduleDir != ".")
    command.insert(command.end(), {"-module", context.moduleDir});
  addResourceDir(command, context);
  if (!job.output.empty())
    command.insert(command.end(), {"-o", job.output});
  command.push_back(job.input);
  return command;
}

std::vector<std::string> cufort::driver::renderDeviceLink(const DeviceLinkJob &job, const RenderContext &context) {
  Command command = {context.program, "--device-link"};
  addIf(command, job.shared, "-shared");
  addGpu(command, job.device, context.defaultTargets, !job.keepPrefix.empty());
  addCodeGen(command, job.codeGen);
  addReports(command, job.reports);
  addResourceDir(command, context);
  command.insert(command.end(), {"-o", job.output});
  bool whole = false;
  for (const DeviceLinkInput &input : job.inputs) {
    if (input.wholeArchive != whole)
      command.push_back(input.wholeArchive ? "-Wl,--whole-archive" : "-Wl,--no-whole-archive");
    whole = input.wholeArchive;
    command.push_back(input.path);
  }
  return command;
}

void cufort::driver::printCommand(llvm::raw_ostream &os, llvm::ArrayRef<std::string> command) {
  constexpr llvm::StringLiteral plain = "-_./=,:+@%^";
  bool first = true;
  std::string line;
  for (const std::string &word : command) {
    line += first ? "" : " ";
    first = false;
    if (!word.empty() && llvm::all_of(word, [&](char c) { return llvm::isAlnum(c) || plain.contains(c); })) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  os << line << '\n';
  os.flush();
}
