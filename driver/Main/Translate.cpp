// The driver's settings as the front end and the code generators take them.

#include "driver/Main/Translate.h"
#include "driver/Toolchain/Environment.h"

using namespace cufort;

/// The first CUDA toolkit, as 13000 for 13.0, whose ptxas is asked to use several threads.
static constexpr unsigned firstSplittingToolkit = 13000;

frontend::FrontendOptions driver::frontendOptions(const CompileJob &job) {
  const LanguageSettings &language = job.language;
  frontend::FrontendOptions options;
  options.input = job.input;
  options.cuda = language.cuda;
  options.fixedForm = language.form == SourceForm::Fixed;
  // Flang has no "unlimited"; the standard's longest line of free form is as good.
  options.fixedFormColumns = language.fixedColumns ? language.fixedColumns : 10000;
  options.debugLines = language.debugLines;
  options.preprocess = language.preprocess;
  options.backslashEscapes = language.backslashEscapes;
  options.defaultReal8 = language.realKind == 8;
  options.integerKind = language.integerKind;
  options.managedMemory = job.device.memory == MemoryModel::Managed;
  options.unifiedMemory = job.device.memory == MemoryModel::Unified;
  options.openMP = language.directives.openMP;
  options.implicitNone = language.implicitNone;
  options.contract = job.codeGen.contract;
  options.saveLocals = language.saveLocals;
  options.unformattedConvert = language.unformattedConvert;
  options.warnings = job.reports.warnings;
  options.remarks = job.reports.remarks;
  options.warnNonstandard = language.warnNonstandard;
  options.warningsAreErrors = job.reports.warningsAreErrors;
  for (const MacroDefinition &macro : language.macros)
    options.macros.push_back({macro.name, macro.value, macro.undefine});
  options.searchDirectories = language.includeDirs;
  options.searchDirectories.insert(options.searchDirectories.end(), language.moduleDirs.begin(),
                                   language.moduleDirs.end());
  // Last, the include files that come with the compiler.
  options.searchDirectories.push_back(job.resourceDir + "/include");
  options.moduleDirectory = language.moduleOutputDir;
  options.intrinsicModuleDirectory = language.compilerModuleDir;
  return options;
}

codegen::CodegenOptions driver::codegenOptions(const CodeGenSettings &host, const DeviceSettings &device,
                                               const std::string &deviceLibraryDir) {
  codegen::CodegenOptions options;
  options.optLevel = host.optLevel;
  options.pic = host.relocation != Relocation::Static;
  options.debugLines = host.debug != DebugInfo::None;
  if (!host.cpu.empty())
    options.cpu = host.cpu;
  // A vectorised loop calculates what branches guard against.
  options.vectorize = host.vectorize && !host.trapMask;
  options.stackArrays = host.stackArrays;
  options.reassociate = host.reassociate;
  options.relaxedMath = host.relaxedMath;
  options.framePointer = host.framePointer;
  options.inlineCalls = host.inlineCalls;
  options.traceback = host.traceback;
  options.floatTraps = host.trapMask;
  options.codeModel = host.codeModel;
  if (!device.emulatedOnly)
    for (const DeviceTarget &target : device.targets)
      options.gpus.push_back({target.arch, target.suffix, target.ptx, target.cubin});
  options.fma = device.fma;
  options.fastMath = device.fastMath;
  options.flushDenormals = device.flushDenormals;
  options.lineInfo = device.debug != DebugInfo::None;
  options.loadsBypassL1 = device.loadsBypassL1;
  options.unrollDevice = device.unroll;
  options.selfContained = !device.relocatable;
  options.maxRegisters = device.maxRegisters;
  options.ptxInfo = device.printInfo;
  options.ptxas = device.ptxas;
  options.ptxasSplits = device.cudaVersion >= firstSplittingToolkit;
  options.linker = findOnPath({"ld", "ld.lld"});
  options.libdevice = device.libdevice;
  options.deviceLibraryDir = deviceLibraryDir;
  return options;
}

codegen::CodegenOptions driver::codegenOptions(const CompileJob &job, const std::string &deviceLibraryDir) {
  codegen::CodegenOptions options = codegenOptions(job.codeGen, job.device, deviceLibraryDir);
  if (job.device.memory == MemoryModel::Managed)
    options.hostMemory = codegen::HostMemory::Managed;
  else if (job.device.memory == MemoryModel::Pinned)
    options.hostMemory = codegen::HostMemory::Pinned;
  options.openMP = job.language.directives.openMP;
  options.deviceReadsHost = job.device.memory == MemoryModel::Unified;
  options.checkHostBounds = job.language.boundsChecks;
  options.checkDeviceBounds = job.language.boundsChecks || job.device.checks;
  options.checkRaces = job.device.checks;
  options.checkPointers = job.language.pointerChecks;
  options.kernelInfo = job.reports.accelerator;
  return options;
}
