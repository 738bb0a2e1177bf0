// One job per source: cufort's own compiler for Fortran, other programs for the rest.
#include "driver/Jobs/ModuleOrder.h"
#include "driver/Jobs/Plan.h"
#include "driver/Jobs/Render.h"
#include "driver/Options/Errors.h"
#include "driver/Options/Predefines.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
namespace path = llvm::sys::path;

namespace {

class SourcePlanner {
public:
  SourcePlanner(const Invocation &invocation, Machine &machine, TempDirectory &temporary, Messages &messages,
                Plan &plan)
      : invocation(invocation), machine(machine), temporary(temporary), messages(messages), plan(plan) {}

  llvm::Error planAll(std::vector<std::string> &objects) {
    for (const InputFile &input : invocation.inputs) {
      objects.push_back(input.path);
      if (!isSource(input.traits.kind))
        continue;
      Job job;
      job.subject = input.path;
      chooseOutput(input, job, objects.back());
      if (llvm::Error error = planOne(input, job))
        return error;
      plan.jobs.push_back(std::move(job));
    }
    addModuleDependencies();
    return llvm::Error::success();
  }

private:
  bool linksLater() const { return invocation.goal != Goal::Compile; }

  std::string moduleDir() const { return invocation.moduleDir.empty() ? "." : invocation.moduleDir; }

  /// Returns the path that intermediates of `input` start with when they are kept, else an empty string.
  std::string keepPrefix(const InputFile &input) const {
    if (!invocation.gpu.keep)
      return "";
    llvm::SmallString<128> prefix(path::parent_path(input.path));
    path::append(prefix, path::stem(input.path));
    return prefix.str().str();
  }

  /// Decides where the job writes (`made`, in the private directory) and where that goes. `object` becomes what is
  /// linked.
  void chooseOutput(const InputFile &input, Job &job, std::string &object) {
    if (invocation.stopAfter == Stage::Syntax && !linksLater())
      return;
    llvm::StringRef stem = path::stem(input.path);
    JobOutput output;
    if (!linksLater()) {
      output.wanted = compileOutput(invocation, input);
      bool named = !output.wanted.empty();
      output.made = temporary.newFile(stem, named ? path::extension(output.wanted) : llvm::StringRef(".txt"));
    } else {
      output.made = temporary.newFile(stem, ".o");
      output.wanted = invocation.gpu.keep ? keepPrefix(input) + ".o" : output.made;
      object = output.wanted;
    }
    job.output = std::move(output);
  }

  llvm::Error planOne(const InputFile &input, Job &job) {
    switch (input.traits.kind) {
    case FileKind::Fortran:
      return planFortran(input, job);
    case FileKind::CudaCxx:
      return planCudaCxx(input, job);
    case FileKind::Cxx:
      return planTool(input, job, machine.tools().cxx, "C++ compiler", "c++, g++ or clang++", "CUFORT_CXX");
    default:
      return planTool(input, job, machine.tools().cc, "C compiler", "cc, gcc or clang", "CUFORT_CC");
    }
  }

  LanguageSettings languageOf(const InputFile &input, unsigned cudaVersion) const {
    LanguageSettings language = invocation.language;
    language.cuda = invocation.cuda.value_or(input.traits.cuda);
    language.form = invocation.form.value_or(input.traits.form);
    language.preprocess = invocation.preprocess.value_or(input.traits.preprocess);
    std::vector<MacroDefinition> macros = predefinedMacros(language, cudaVersion);
    macros.insert(macros.end(), language.macros.begin(), language.macros.end());
    language.macros = std::move(macros);
    language.moduleDirs.push_back(moduleDir());
    if (moduleDir() != ".")
      language.moduleDirs.push_back(".");
    language.moduleDirs.insert(language.moduleDirs.end(), language.includeDirs.begin(), language.includeDirs.end());
    language.compilerModuleDir = machine.runtime().moduleDir;
    return language;
  }

  llvm::Error planFortran(const InputFile &input, Job &job) {
    CompileJob compile;
    compile.input = input.path;
    compile.output = job.output ? job.output->made : "";
    compile.stopAfter = linksLater() ? Stage::Object : invocation.stopAfter;
    compile.keepPrefix = keepPrefix(input);
    compile.resourceDir = machine.runtime().resourceDir;
    compile.codeGen = invocation.codeGen;
    if (linksLater() && invocation.link.shared)
      compile.codeGen.relocation = Relocation::PIC;
    compile.reports = invocation.reports;
    compile.device = deviceSettings();
    compile.language = languageOf(input, compile.device.cudaVersion);
    if (compile.stopAfter != Stage::Preprocess) {
      llvm::Expected<std::string> directory = temporary.newDirectory(path::stem(input.path));
      if (!directory)
        return directory.takeError();
      compile.language.moduleOutputDir = job.moduleDirMade = *directory;
      job.moduleDirWanted = moduleDir();
    }
    job.commandLine = renderCompile(compile, renderContext());
    job.work = std::move(compile);
    return llvm::Error::success();
  }

  RenderContext renderContext() const {
    return {machine.executable(), moduleDir(), invocation.resourceDir, !invocation.gpu.namesTargets()};
  }

  /// What does not depend on the file, asked once: finding the GPUs takes time.
  const DeviceSettings &deviceSettings() {
    if (!device) {
      bool finishes = !invocation.gpu.device.relocatable;
      device = machine.deviceSettings(invocation.gpu, finishes, messages);
      if (device->printInfo && !finishes && invocation.stopAfter == Stage::Object && !linksLater())
        messages.note(
            "ptxas runs when device code is linked: -gpu=ptxinfo prints nothing here, but in the command that "
            "links, or with -gpu=nordc");
    }
    return *device;
  }

  /// Adds include directories and macros, which the C compiler and nvcc spell alike. ISO_Fortran_binding.h is ours, not
  /// that of the C compiler.
  void addPreprocessing(std::vector<std::string> &arguments) const {
    for (const std::string &directory : invocation.language.includeDirs)
      arguments.push_back("-I" + directory);
    arguments.insert(arguments.end(), {"-isystem", machine.runtime().resourceDir + "/include"});
    for (const MacroDefinition &macro : invocation.language.macros)
      arguments.push_back(macro.undefine ? "-U" + macro.name : "-D" + macro.name + "=" + macro.value);
    arguments.push_back("-O" + std::to_string(invocation.codeGen.optLevel));
    if (invocation.codeGen.debug != DebugInfo::None)
      arguments.push_back("-g");
  }

  bool wantsPic() const {
    return invocation.codeGen.relocation == Relocation::PIC || (linksLater() && invocation.link.shared);
  }

  void addGoal(std::vector<std::string> &arguments) const {
    if (linksLater() || invocation.stopAfter == Stage::Object)
      arguments.push_back("-c");
    else if (invocation.stopAfter == Stage::Assembly)
      arguments.push_back("-S");
    else
      arguments.push_back("-E");
  }

  /// Only Fortran sources have the stages between -E and -S.
  llvm::Error checkStage(const InputFile &input) const {
    bool common = invocation.stopAfter == Stage::Preprocess || invocation.stopAfter >= Stage::Assembly;
    if (linksLater() || common)
      return llvm::Error::success();
    return usageError("'" + input.path + "' is not Fortran: '-emit=" + stageName(invocation.stopAfter) +
                      "' cannot be made of it");
  }

  llvm::Error planTool(const InputFile &input, Job &job, const std::string &program, llvm::StringRef what,
                       llvm::StringRef names, llvm::StringRef variable) {
    if (program.empty())
      return failure("'" + input.path + "' needs a " + what + ", and there is none: install " + names +
                     ", or name one in " + variable);
    if (llvm::Error error = checkStage(input))
      return error;
    ToolJob tool;
    tool.arguments = {program};
    addGoal(tool.arguments);
    addPreprocessing(tool.arguments);
    if (wantsPic())
      tool.arguments.push_back("-fPIC");
    else if (invocation.codeGen.relocation == Relocation::Static)
      tool.arguments.push_back("-fno-pic");
    if (!invocation.reports.warnings)
      tool.arguments.push_back("-w");
    tool.arguments.insert(tool.arguments.end(), invocation.assembler.options.begin(),
                          invocation.assembler.options.end());
    finishTool(input, job, std::move(tool));
    return llvm::Error::success();
  }

  llvm::Error planCudaCxx(const InputFile &input, Job &job) {
    const CudaToolkit *cuda = machine.toolkit();
    if (!cuda || cuda->nvcc.empty())
      return failure("'" + input.path + "' needs nvcc, and no CUDA toolkit with it was found; set CUDA_HOME to one");
    if (llvm::Error error = checkStage(input))
      return error;
    ToolJob tool;
    tool.arguments = {cuda->nvcc};
    addGoal(tool.arguments);
    addPreprocessing(tool.arguments);
    addNvccTargets(tool.arguments, deviceSettings().targets);
    if (wantsPic())
      tool.arguments.insert(tool.arguments.end(), {"-Xcompiler", "-fPIC"});
    if (!invocation.reports.warnings)
      tool.arguments.push_back("-w");
    finishTool(input, job, std::move(tool));
    return llvm::Error::success();
  }

  void finishTool(const InputFile &input, Job &job, ToolJob tool) {
    tool.arguments.insert(tool.arguments.end(), {"-o", job.output->made, input.path});
    job.commandLine = tool.arguments;
    job.work = std::move(tool);
  }

  bool moduleExists(llvm::StringRef name) const {
    std::vector<std::string> directories = {moduleDir(), "."};
    directories.insert(directories.end(), invocation.language.includeDirs.begin(),
                       invocation.language.includeDirs.end());
    directories.push_back(machine.runtime().moduleDir);
    // A submodule "ancestor:name" is in the file ancestor-name.mod.
    std::string file = name.str() + ".mod";
    std::replace(file.begin(), file.end(), ':', '-');
    for (const std::string &directory : directories)
      if (llvm::sys::fs::exists(directory + "/" + file))
        return true;
    return false;
  }

  ScanSettings scanSettings(const CompileJob &job) const {
    ScanSettings settings;
    settings.form = job.language.form;
    settings.fixedColumns = job.language.fixedColumns;
    settings.cuda = job.language.cuda;
    settings.preprocess = job.language.preprocess;
    settings.includeDirs = job.language.includeDirs;
    for (const MacroDefinition &macro : invocation.language.macros)
      if (!macro.undefine)
        settings.macros.push_back(macro.name);
    return settings;
  }

  /// Makes the jobs of Fortran sources wait for those that write the modules they use.
  void addModuleDependencies() {
    std::vector<size_t> jobs;
    std::vector<ModuleInfo> sources;
    for (size_t index = 0; index < plan.jobs.size(); ++index) {
      const auto *compile = std::get_if<CompileJob>(&plan.jobs[index].work);
      if (!compile || compile->stopAfter == Stage::Preprocess)
        continue;
      jobs.push_back(index);
      sources.push_back(scanModulesOfFile(compile->input, scanSettings(*compile)));
    }
    if (jobs.size() < 2)
      return;
    auto exists = [&](llvm::StringRef module) { return moduleExists(module); };
    std::vector<std::vector<Dependency>> order = orderSources(sources, exists);
    for (size_t source = 0; source < order.size(); ++source)
      for (const Dependency &dependency : order[source])
        plan.jobs[jobs[source]].after.push_back({jobs[dependency.source], dependency.module});
  }

  const Invocation &invocation;
  Machine &machine;
  TempDirectory &temporary;
  Messages &messages;
  Plan &plan;
  std::optional<DeviceSettings> device;
};

} // namespace

void cufort::driver::addNvccTargets(std::vector<std::string> &arguments, llvm::ArrayRef<DeviceTarget> targets) {
  for (const DeviceTarget &target : targets) {
    std::string arch = std::to_string(target.arch) + (target.suffix ? std::string(1, target.suffix) : "");
    if (target.cubin)
      arguments.push_back("--generate-code=arch=compute_" + arch + ",code=sm_" + arch);
    if (target.ptx)
      arguments.push_back("--generate-code=arch=compute_" + arch + ",code=compute_" + arch);
  }
}

llvm::Error cufort::driver::planSources(const Invocation &invocation, Machine &machine, TempDirectory &temporary,
                                        Messages &messages, Plan &plan, std::vector<std::string> &objects) {
  return SourcePlanner(invocation, machine, temporary, messages, plan).planAll(objects);
}
