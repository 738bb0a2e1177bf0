// A whole command line, decoded: what is wanted, without a look at the machine it runs on.
#pragma once

#include "driver/Options/GpuOptions.h"
#include "driver/Options/Messages.h"
#include "driver/Options/Settings.h"
#include "driver/Options/Sources.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cufort::driver {

/// What the driver does.
enum class Action { Build, Help, Version, DumpVersion, DumpMachine, PrintToolchain, AccelInfo };

/// How far a build goes.
enum class Goal {
  Compile,    ///< every source to the stage of `stopAfter`
  DeviceLink, ///< --device-link: an image object
  Link        ///< an executable or shared library
};

/// One thing the linker is given, in the order of the command line.
struct LinkItem {
  std::optional<size_t> input; ///< index of an input file, or
  std::string option;          ///< an argument for the C compiler that links
};

/// Which CUDA runtime goes into programs with objects that may call it (-cudart=).
enum class CudaRuntime { Static, Shared, None };

/// How the link is made, beside `LinkItem`s.
struct LinkSettings {
  bool shared = false;
  bool fullyStatic = false;
  bool relocatable = false; ///< -r
  bool strip = false;
  std::optional<bool> pie;
  bool noDefaultLibs = false;
  bool cxxLibs = false;
  bool scalapack = false;
  bool mpi = false; ///< -Mmpi
  CudaRuntime cudaRuntime = CudaRuntime::Static;
  std::string linker; ///< -fuse-ld=
  std::string soname;
  std::vector<std::string> searchPrefixes; ///< -B
  std::vector<std::string> rpaths;
  std::vector<std::string> cudaLibraries; ///< -cudalib=, as written
};

/// What goes to the C, C++ and CUDA C++ compilers besides include directories, macros, -O, -g and -fPIC.
struct AssemblerSettings {
  std::vector<std::string> options; ///< -Wa,... and -Xassembler
};

/// Rules for make (-M and its relatives).
struct DependencySettings {
  bool wanted = false;
  bool instead = false;             ///< -M, -MM: and nothing is compiled
  bool emptyRules = false;          ///< -MP: a rule without commands for each included file
  std::string file;                 ///< -MF; empty: by default
  std::vector<std::string> targets; ///< -MT, -MQ, as make reads them; empty: the object
};

/// The decoded command line.
struct Invocation {
  Action action = Action::Build;
  Goal goal = Goal::Link;
  Stage stopAfter = Stage::Object;
  std::string preprocessedSuffix; ///< of the file that -F or -P writes, else empty
  bool dryRun = false;           ///< -###
  unsigned maxJobs = 0;          ///< 0: as many as there are processors
  unsigned timeLimit = 3600;     ///< seconds of processor time per source; 0: none
  std::string output;            ///< -o; empty: the default
  std::string moduleDir;         ///< -module, -J; empty: the current directory
  std::string resourceDir;       ///< --resource-dir; empty: beside the program

  std::vector<InputFile> inputs;
  std::vector<LinkItem> linkItems;

  LanguageSettings language; ///< what does not depend on the file
  std::optional<bool> cuda;  ///< -cuda or -nocuda; empty: as the suffix says
  std::optional<SourceForm> form;
  std::optional<bool> preprocess;
  CodeGenSettings codeGen;
  GpuRequest gpu;
  ReportSettings reports;
  LinkSettings link;
  AssemblerSettings assembler;
  DependencySettings dependencies;
};

/// Returns what `arguments` say. Warns of options that have no effect yet. Fails with a usage error.
llvm::Expected<Invocation> decodeInvocation(const llvm::opt::InputArgList &arguments, Messages &messages);

// The parts of decodeInvocation(), one file each.
llvm::Error decodeLanguage(const llvm::opt::InputArgList &arguments, Invocation &invocation);
llvm::Error decodeCodeGen(const llvm::opt::InputArgList &arguments, Invocation &invocation);
llvm::Error decodeGpu(const llvm::opt::InputArgList &arguments, Invocation &invocation, Messages &messages);
llvm::Error decodeReports(const llvm::opt::InputArgList &arguments, Invocation &invocation, Messages &messages);
llvm::Error decodeLink(const llvm::opt::InputArgList &arguments, Invocation &invocation);

/// Calls `print` with every stage that -emit= knows, and its meaning.
void forEachStage(llvm::function_ref<void(llvm::StringRef name, llvm::StringRef help)> print);

/// Returns the -emit= name of `stage`.
llvm::StringRef stageName(Stage stage);

} // namespace cufort::driver
