#include "driver/Options/Predefines.h"
#include "driver/Options/Version.h"

using namespace cufort::driver;

namespace {

/// The release of nvfortran whose language and options cufort follows: what version tests in sources are meant for.
constexpr const char *followedMajor = "24", *followedMinor = "5", *followedPatch = "0";

void addMachine(std::vector<MacroDefinition> &macros) {
  for (const char *name : {
         "unix", "__unix", "__unix__", "linux", "__linux", "__linux__", "__gnu_linux__", "__ELF__", "__LP64__", "_LP64",
#if defined(__aarch64__)
             "__aarch64__", "__aarch64"
#else
                           "__x86_64", "__x86_64__", "__amd64", "__amd64__"
#endif
       })
    macros.push_back({name, "1"});
}

void addCompiler(std::vector<MacroDefinition> &macros) {
  macros.push_back({"__CUFORT__", "1"});
  macros.push_back({"__CUFORT_VERSION__", "\"" + std::string(cufortVersion) + "\""});
  macros.push_back({"__NVCOMPILER", "1"});
  macros.push_back({"__NVCOMPILER_MAJOR__", followedMajor});
  macros.push_back({"__NVCOMPILER_MINOR__", followedMinor});
  macros.push_back({"__NVCOMPILER_PATCHLEVEL__", followedPatch});
}

} // namespace

std::vector<MacroDefinition> cufort::driver::predefinedMacros(const LanguageSettings &language, unsigned cudaVersion) {
  std::vector<MacroDefinition> macros;
  addMachine(macros);
  addCompiler(macros);
  if (language.cuda) {
    macros.push_back({"_CUDA", "1"});
    macros.push_back({"__CUDA_API_VERSION", std::to_string(cudaVersion)});
    macros.push_back({"CUDA_VERSION", std::to_string(cudaVersion)});
  }
  if (language.directives.openMP)
    macros.push_back({"_OPENMP", "202011"});
  if (language.directives.openACC)
    macros.push_back({"_OPENACC", "201711"});
  return macros;
}
