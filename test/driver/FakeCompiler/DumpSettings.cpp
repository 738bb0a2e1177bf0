#include "test/driver/FakeCompiler/DumpSettings.h"
#include "llvm/Support/raw_ostream.h"

using namespace cufort::driver;

namespace {

class Dumper {
public:
  std::string text;

  void dump(const LanguageSettings &language) {
    line("cuda", language.cuda);
    line("form", language.form == SourceForm::Free ? "free" : "fixed");
    line("fixedColumns", language.fixedColumns);
    line("preprocess", language.preprocess);
    for (const MacroDefinition &macro : language.macros)
      line(macro.undefine ? "undef" : "define", macro.name + (macro.undefine ? "" : "=" + macro.value));
    lines("includeDir", language.includeDirs);
    lines("moduleDir", language.moduleDirs);
    line("openMP", language.directives.openMP);
    line("openMPOffload", language.directives.openMPOffload);
    line("openACC", language.directives.openACC);
    line("openACCOnGpu", language.directives.openACCOnGpu);
    line("stdpar", language.directives.stdpar);
    line("stdparOnGpu", language.directives.stdparOnGpu);
    line("integerKind", language.integerKind);
    line("realKind", language.realKind);
    line("backslashEscapes", language.backslashEscapes);
    line("reallocateLhs", language.reallocateLhs);
    line("implicitNone", language.implicitNone);
    line("saveLocals", language.saveLocals);
    line("unixLogical", language.unixLogical);
    line("debugLines", language.debugLines);
    line("oneTripLoops", language.oneTripLoops);
    line("warnNonstandard", language.warnNonstandard);
    line("boundsChecks", language.boundsChecks);
    line("pointerChecks", language.pointerChecks);
    line("unformattedConvert", language.unformattedConvert);
  }

  void dump(const CodeGenSettings &codeGen) {
    static const char *relocations[] = {"static", "pie", "pic"};
    line("optLevel", codeGen.optLevel);
    line("relocation", relocations[static_cast<unsigned>(codeGen.relocation)]);
    line("debug", debugName(codeGen.debug));
    line("cpu", codeGen.cpu);
    line("codeModel", codeGen.codeModel);
    line("strictIEEE", codeGen.strictIEEE);
    line("reassociate", codeGen.reassociate);
    line("relaxedMath", codeGen.relaxedMath);
    line("flushDenormals", codeGen.flushDenormals);
    line("contract", codeGen.contract);
    line("vectorize", codeGen.vectorize);
    line("unroll", codeGen.unroll);
    line("inlineCalls", codeGen.inlineCalls);
    line("stackArrays", codeGen.stackArrays);
    line("traceback", codeGen.traceback);
    line("framePointer", codeGen.framePointer);
    line("trapMask", codeGen.trapMask);
  }

  void dump(const DeviceSettings &device) {
    static const char *models[] = {"separate", "pinned", "managed", "unified"};
    for (const DeviceTarget &target : device.targets)
      line("target", "cc" + std::to_string(target.arch) + (target.suffix ? std::string(1, target.suffix) : "") +
                         (target.ptx ? " ptx" : "") + (target.cubin ? " cubin" : ""));
    line("device.emulatedOnly", device.emulatedOnly);
    line("device.relocatable", device.relocatable);
    line("device.fastMath", device.fastMath);
    line("device.fma", device.fma);
    line("device.flushDenormals", device.flushDenormals);
    line("device.loadsBypassL1", device.loadsBypassL1);
    line("device.unroll", device.unroll);
    line("device.checks", device.checks);
    line("device.constantModuleData", device.constantModuleData);
    line("device.charStrings", device.charStrings);
    line("device.memory", models[static_cast<unsigned>(device.memory)]);
    line("device.debug", debugName(device.debug));
    line("device.maxRegisters", device.maxRegisters);
    line("device.printInfo", device.printInfo);
    line("device.cudaVersion", device.cudaVersion);
    line("device.ptxas", device.ptxas);
    line("device.libdevice", device.libdevice);
  }

  void dump(const ReportSettings &reports) {
    static const char *levels[] = {"inform", "warn", "severe", "fatal"};
    line("info.accelerator", reports.accelerator);
    line("info.loops", reports.loops);
    line("info.inlining", reports.inlining);
    line("info.openMP", reports.openMP);
    line("info.stdpar", reports.stdpar);
    line("info.time", reports.time);
    line("info.negative", reports.negative);
    line("inform", levels[static_cast<unsigned>(reports.level)]);
    line("warnings", reports.warnings);
    line("remarks", reports.remarks);
    line("warningsAreErrors", reports.warningsAreErrors);
  }

  void line(llvm::StringRef name, llvm::StringRef value) { text += (name + " = " + value + "\n").str(); }
  void line(llvm::StringRef name, const char *value) { line(name, llvm::StringRef(value)); }
  void line(llvm::StringRef name, const std::string &value) { line(name, llvm::StringRef(value)); }
  void line(llvm::StringRef name, unsigned value) { line(name, std::to_string(value)); }
  void line(llvm::StringRef name, bool value) { line(name, value ? "yes" : "no"); }

  void lines(llvm::StringRef name, const std::vector<std::string> &values) {
    for (const std::string &value : values)
      line(name, value);
  }

private:
  static const char *debugName(DebugInfo debug) {
    static const char *names[] = {"none", "lines", "full"};
    return names[static_cast<unsigned>(debug)];
  }
};

} // namespace

std::string dumpSettings(const CompileJob &job) {
  Dumper dumper;
  dumper.line("input", job.input);
  dumper.line("keepPrefix", job.keepPrefix);
  dumper.dump(job.language);
  dumper.dump(job.codeGen);
  dumper.dump(job.device);
  dumper.dump(job.reports);
  return dumper.text;
}

std::string dumpSettings(const DeviceLinkJob &job) {
  Dumper dumper;
  for (const DeviceLinkInput &input : job.inputs)
    dumper.line(input.kind == DeviceLinkInput::Archive ? "archive" : "object",
                input.path + (input.wholeArchive ? " whole" : ""));
  dumper.line("shared", job.shared);
  dumper.line("keepPrefix", job.keepPrefix);
  dumper.dump(job.codeGen);
  dumper.dump(job.device);
  return dumper.text;
}
