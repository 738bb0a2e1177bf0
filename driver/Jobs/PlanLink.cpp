// The device link, and the call of the C compiler that makes the program.
#include "driver/Jobs/LinkInputs.h"
#include "driver/Jobs/NvccObjects.h"
#include "driver/Jobs/Plan.h"
#include "driver/Jobs/Render.h"
#include "driver/Options/Errors.h"
#include "driver/Options/Words.h"
#include "driver/Toolchain/CudaLibraries.h"
#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
namespace path = llvm::sys::path;

namespace {

class LinkPlanner {
public:
  LinkPlanner(const Invocation &invocation, Machine &machine, TempDirectory &temporary, Messages &messages, Plan &plan,
              const std::vector<std::string> &objects)
      : invocation(invocation), link(invocation.link), machine(machine), temporary(temporary), messages(messages),
        plan(plan), objects(objects) {}

  llvm::Error planAll() {
    size_t sources = plan.jobs.size();
    inputs = collectDeviceInputs(invocation, objects);
    if (!link.relocatable)
      planDeviceLink(sources);
    if (invocation.goal == Goal::DeviceLink)
      return llvm::Error::success();
    if (!link.relocatable)
      planNvccLink();
    return planHostLink();
  }

private:
  std::string output() const {
    if (!invocation.output.empty())
      return invocation.output;
    return invocation.goal == Goal::DeviceLink ? "a.image.o" : "a.out";
  }

  /// Makes `job` wait for the first `count` jobs.
  static void waitFor(Job &job, size_t count) {
    for (size_t before = 0; before < count; ++before)
      job.after.push_back({before, ""});
  }

  /// The objects that were made of sources.
  FileNames objectNames() const {
    FileNames names;
    for (auto [input, object] : llvm::zip(invocation.inputs, objects))
      if (!object.empty() && object != input.path)
        names.emplace_back(object, input.path);
    return names;
  }

  void planDeviceLink(size_t sources) {
    bool isGoal = invocation.goal == Goal::DeviceLink;
    DeviceLinkJob deviceLink;
    deviceLink.inputs = inputs;
    deviceLink.output = image = temporary.newFile(path::filename(output()), isGoal ? "" : ".image.o");
    deviceLink.shared = link.shared;
    deviceLink.resourceDir = machine.runtime().resourceDir;
    deviceLink.keepPrefix = invocation.gpu.keep ? output() : "";
    deviceLink.codeGen = invocation.codeGen;
    if (link.shared)
      deviceLink.codeGen.relocation = Relocation::PIC;
    deviceLink.device = device = machine.deviceSettings(invocation.gpu, /*exact=*/true, messages);
    deviceLink.reports = invocation.reports;
    RenderContext context = {machine.executable(), "", invocation.resourceDir, !invocation.gpu.namesTargets()};
    Job job;
    job.subject = output();
    job.commandLine = renderDeviceLink(deviceLink, context);
    job.output = JobOutput{image, isGoal ? output() : image};
    job.outputMayBeMissing = !isGoal;
    job.names = objectNames();
    job.work = std::move(deviceLink);
    waitFor(job, sources);
    plan.jobs.push_back(std::move(job));
  }

  /// Objects of nvcc -rdc=true have to be linked by nvcc among themselves before anything else links them.
  void planNvccLink() {
    std::vector<std::string> files = findNvccObjects(inputs);
    if (files.empty())
      return;
    const CudaToolkit *cuda = machine.toolkit();
    if (!cuda || cuda->nvcc.empty()) {
      messages.warning("'" + files.front() + "' has relocatable device code of nvcc, and there is no nvcc to link it");
      return;
    }
    nvccImage = temporary.newFile(path::filename(output()), ".nvcc.o");
    ToolJob tool;
    tool.arguments = {cuda->nvcc, "-dlink"};
    addNvccTargets(tool.arguments, device.targets);
    if (link.shared)
      tool.arguments.insert(tool.arguments.end(), {"-Xcompiler", "-fPIC"});
    tool.arguments.insert(tool.arguments.end(), {"-o", nvccImage});
    llvm::append_range(tool.arguments, files);
    Job job;
    job.subject = output();
    job.output = JobOutput{nvccImage, nvccImage};
    job.commandLine = tool.arguments;
    job.work = std::move(tool);
    plan.jobs.push_back(std::move(job));
  }

  llvm::Error planHostLink() {
    const std::string &cc = machine.tools().cc;
    if (cc.empty())
      return failure("linking needs a C compiler, and there is none: install cc, gcc or clang, or name one in "
                     "CUFORT_CC");
    ToolJob tool;
    tool.arguments = {cc};
    tool.optionalInput = image;
    std::string made = temporary.newFile(path::filename(output()), "");
    addMode(tool.arguments);
    tool.arguments.insert(tool.arguments.end(), {"-o", made});
    addItems(tool.arguments);
    if (endsStatic() && !link.fullyStatic)
      tool.arguments.push_back("-Wl,-Bdynamic");
    for (const std::string &object : {image, nvccImage})
      if (!object.empty())
        tool.arguments.push_back(object);
    if (!link.noDefaultLibs && !link.relocatable)
      if (llvm::Error error = addLibraries(tool.arguments))
        return error;
    Job job;
    job.subject = output();
    job.output = JobOutput{made, output()};
    job.names = objectNames();
    job.commandLine = tool.arguments;
    job.work = std::move(tool);
    waitFor(job, plan.jobs.size());
    plan.jobs.push_back(std::move(job));
    return llvm::Error::success();
  }

  /// Adds what kind of file is made, and by which linker.
  void addMode(std::vector<std::string> &arguments) const {
    auto addIf = [&](bool condition, const char *option) {
      if (condition)
        arguments.push_back(option);
    };
    for (const std::string &prefix : link.searchPrefixes)
      arguments.push_back("-B" + prefix);
    if (!link.linker.empty())
      arguments.push_back("-fuse-ld=" + link.linker);
    else
      llvm::append_range(arguments, machine.tools().useLinker);
    // Builds that link with another language's compiler read the linker's command, to see which libraries they need.
    addIf(invocation.reports.verbose, "-v");
    addIf(link.shared, "-shared");
    addIf(link.relocatable, "-r");
    addIf(link.fullyStatic, "-static");
    addIf(link.strip, "-s");
    addIf(link.noDefaultLibs || link.relocatable, "-nostdlib");
    bool isProgram = !link.shared && !link.relocatable;
    bool fixed = invocation.codeGen.relocation == Relocation::Static;
    if (isProgram && (link.pie || fixed))
      arguments.push_back(link.pie.value_or(!fixed) ? "-pie" : "-no-pie");
    // Names of procedures for the runtime; a static program has none to look up.
    addIf(isProgram && invocation.codeGen.traceback && !link.fullyStatic, "-rdynamic");
    if (!link.soname.empty())
      arguments.push_back("-Wl,-soname," + link.soname);
    for (const std::string &directory : link.rpaths)
      arguments.push_back("-Wl,-rpath," + directory);
  }

  /// Adds inputs, -L, -l and linker options in the order of the command line.
  void addItems(std::vector<std::string> &arguments) const {
    for (const LinkItem &item : invocation.linkItems) {
      llvm::StringRef library = item.option;
      if (item.input)
        arguments.push_back(objects[*item.input]);
      else if (library.consume_front("-l"))
        arguments.push_back("-l" + currentName(library, machine.toolkit(), userLibraryDirs()).str());
      else
        arguments.push_back(item.option);
    }
  }

  /// True if -Bstatic is in force where the command line ends. Behind it the compiler's libraries come, which include
  /// those of the system: programs that are linked dynamically crash with the static ones.
  bool endsStatic() const {
    bool isStatic = false;
    for (const LinkItem &item : invocation.linkItems) {
      llvm::StringRef option = item.option;
      option.consume_front("-Wl,");
      for (llvm::StringRef word : splitList(option))
        isStatic = word == "-Bstatic" || (isStatic && word != "-Bdynamic");
    }
    return isStatic;
  }

  std::vector<std::string> userLibraryDirs() const {
    std::vector<std::string> directories;
    for (const LinkItem &item : invocation.linkItems)
      if (llvm::StringRef(item.option).starts_with("-L"))
        directories.push_back(item.option.substr(2));
    return directories;
  }

  std::vector<llvm::StringRef> namedLibraries() const {
    std::vector<llvm::StringRef> names;
    for (const LinkItem &item : invocation.linkItems)
      if (llvm::StringRef(item.option).starts_with("-l"))
        names.push_back(currentName(llvm::StringRef(item.option).drop_front(2), machine.toolkit(), userLibraryDirs()));
    return names;
  }

  llvm::Error addLibraries(std::vector<std::string> &arguments) {
    if (link.scalapack)
      arguments.push_back("-lscalapack");
    llvm::Expected<std::vector<std::string>> cuda =
        linkCudaLibraries(link.cudaLibraries, machine.toolkit(), userLibraryDirs(), machine.runtime(), messages);
    if (!cuda)
      return cuda.takeError();
    llvm::append_range(arguments, *cuda);
    // Makefiles name the toolkit's libraries without its directory, which the compiler knows.
    if (const CudaToolkit *toolkit = machine.toolkit())
      llvm::append_range(arguments, directoriesOfLibraries(namedLibraries(), *toolkit, userLibraryDirs()));
    // Last of all directories: what stands in for libraries of toolkits is here.
    arguments.push_back("-L" + machine.runtime().resourceDir);
    if (link.cxxLibs)
      arguments.push_back("-lstdc++");
    for (llvm::StringRef name : {cufortRuntimeFile, flangRuntimeFile}) {
      llvm::Expected<std::string> file = machine.runtime().find(name, machine.tools());
      if (!file)
        return file.takeError();
      arguments.push_back(*file);
    }
    addCudaRuntime(arguments);
    addCxxLibrary(arguments);
    if (llvm::Error error = addOpenMP(arguments))
      return error;
    arguments.insert(arguments.end(), {"-ldl", "-lpthread", "-lm"});
    return llvm::Error::success();
  }

  /// Objects of nvcc call the CUDA runtime, and so do programs with interfaces of their own for its C functions. The
  /// static one costs nothing if no object does.
  void addCudaRuntime(std::vector<std::string> &arguments) const {
    if (!machine.toolkit() || link.cudaRuntime == CudaRuntime::None)
      return;
    if (link.cudaRuntime == CudaRuntime::Shared) {
      llvm::append_range(arguments, directoriesOfLibraries({"cudart"}, *machine.toolkit(), userLibraryDirs()));
      arguments.push_back("-lcudart");
      return;
    }
    for (const std::string &directory : machine.toolkit()->libraryDirs) {
      std::string archive = ifExists(directory + "/libcudart_static.a");
      if (archive.empty())
        continue;
      std::string deviceRuntime = ifExists(directory + "/libcudadevrt.a");
      if (!nvccImage.empty() && !deviceRuntime.empty())
        arguments.push_back(deviceRuntime);
      arguments.insert(arguments.end(), {archive, "-lrt"});
      return;
    }
  }

  /// The runtime is written in C++. Its library goes into the program, so that the program runs where there is none.
  void addCxxLibrary(std::vector<std::string> &arguments) const {
    bool hasCxx = llvm::any_of(invocation.inputs, [](const InputFile &input) {
      return input.traits.kind == FileKind::Cxx || input.traits.kind == FileKind::CudaCxx;
    });
    llvm::Expected<std::string> archive = machine.runtime().find("libstdc++.a", machine.tools());
    if (!archive) {
      llvm::consumeError(archive.takeError());
      arguments.push_back("-lstdc++");
      return;
    }
    arguments.push_back(*archive);
    // Exceptions of C++ code that other libraries also throw need the one shared unwinder.
    if (!link.cxxLibs && !hasCxx)
      arguments.push_back("-static-libgcc");
  }

  llvm::Error addOpenMP(std::vector<std::string> &arguments) const {
    if (!invocation.language.directives.openMP)
      return llvm::Error::success();
    std::string library = findOpenMPLibrary(machine.runtime(), machine.tools());
    if (library.empty())
      return failure("'-mp' needs the OpenMP library of LLVM (libomp.so), and there is none: install libomp");
    llvm::StringRef name = path::filename(library), directory = path::parent_path(library);
    // CMake's FindOpenMP takes libraries from the link command only if they are given by -l.
    if (name.consume_front("lib") && name.consume_back(".so"))
      arguments.insert(arguments.end(), {("-L" + directory).str(), ("-l" + name).str()});
    else
      arguments.push_back(library);
    arguments.push_back(("-Wl,-rpath," + directory).str());
    return llvm::Error::success();
  }

  const Invocation &invocation;
  const LinkSettings &link;
  Machine &machine;
  TempDirectory &temporary;
  Messages &messages;
  Plan &plan;
  const std::vector<std::string> &objects;
  std::vector<DeviceLinkInput> inputs;
  DeviceSettings device;
  std::string image;     ///< the image object; empty: no device link
  std::string nvccImage; ///< what nvcc has linked; empty: no object needs it
};

} // namespace

llvm::Error cufort::driver::planLink(const Invocation &invocation, Machine &machine, TempDirectory &temporary,
                                     Messages &messages, Plan &plan, const std::vector<std::string> &objects) {
  return LinkPlanner(invocation, machine, temporary, messages, plan, objects).planAll();
}
