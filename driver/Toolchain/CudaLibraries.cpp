#include "driver/Toolchain/CudaLibraries.h"
#include "driver/Options/Errors.h"
#include "driver/Options/Words.h"
#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/STLExtras.h"

using namespace cufort::driver;

namespace {

struct CudaLibrary {
  llvm::StringLiteral name;
  std::vector<llvm::StringRef> libraries; ///< empty: what calls it is not supported yet
};

const CudaLibrary table[] = {
    {"cublas", {"cublas"}},      {"cublaslt", {"cublasLt"}}, {"cublasmp", {"cublasmp"}},
    {"cufft", {"cufft"}},        {"cufftmp", {"cufftMp"}},   {"cufftw", {"cufftw", "cufft"}},
    {"curand", {"curand"}},      {"cusolver", {"cusolver"}}, {"cusolvermp", {"cusolverMp"}},
    {"cusparse", {"cusparse"}},  {"cutensor", {"cutensor"}}, {"nccl", {"nccl"}},
    {"nvblas", {"nvblas"}},      {"nvshmem", {"nvshmem"}},   {"nvtx", {"nvToolsExt"}},
    {"nvtx3", {"nvtx3interop"}}, {"nvlamath", {}},
};

/// Returns the first of `directories` with lib<name>.so or lib<name>.a, or an empty string.
std::string directoryOf(llvm::StringRef name, llvm::ArrayRef<std::string> directories) {
  for (const std::string &directory : directories)
    for (const char *suffix : {".so", ".a"})
      if (!ifExists(llvm::Twine(directory) + "/lib" + name + suffix).empty())
        return directory;
  return "";
}

void addUnique(std::vector<std::string> &arguments, std::string argument) {
  if (!llvm::is_contained(arguments, argument))
    arguments.push_back(std::move(argument));
}

const CudaLibrary *findLibrary(llvm::StringRef name) {
  const CudaLibrary *entry = llvm::find_if(table, [&](const CudaLibrary &known) { return known.name == name; });
  return entry == std::end(table) ? nullptr : entry;
}

llvm::Error unknownLibrary(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 32> known;
  for (const CudaLibrary &library : table)
    known.push_back(library.name);
  return unknownValue("-cudalib=", name, known);
}

} // namespace

llvm::StringRef cufort::driver::cudaLibraryOf(llvm::StringRef name) {
  llvm::StringRef longest; // cublasLt… is not of cuBLAS
  for (const CudaLibrary &library : table)
    if (name.starts_with_insensitive(library.name) && library.name.size() > longest.size())
      longest = library.name;
  return longest;
}

llvm::Expected<std::vector<std::string>> cufort::driver::linkCudaLibraries(llvm::ArrayRef<std::string> names,
                                                                           const CudaToolkit *toolkit,
                                                                           llvm::ArrayRef<std::string> userDirs,
                                                                           const RuntimeLibraries &runtime,
                                                                           Messages &messages) {
  std::vector<std::string> arguments;
  for (llvm::StringRef name : names) {
    const CudaLibrary *entry = findLibrary(name);
    if (!entry)
      return unknownLibrary(name);
    if (entry->libraries.empty())
      messages.warning("'-cudalib=" + name + "' has no effect yet");
    for (llvm::StringRef named : entry->libraries) {
      llvm::StringRef library = currentName(named, toolkit, userDirs);
      std::string directory = toolkit ? directoryOf(library, toolkit->libraryDirs) : "";
      if (!directory.empty()) {
        addUnique(arguments, "-L" + directory);
        addUnique(arguments, "-Wl,-rpath," + directory);
      } else if (directoryOf(library, userDirs).empty() && directoryOf(library, runtime.resourceDir).empty()) {
        messages.warning("'-cudalib=" + name + "': lib" + library + " is not in " +
                         (toolkit ? "the CUDA toolkit " + toolkit->root : "any CUDA toolkit of this machine") +
                         "; it must be in a directory given with -L");
      }
      addUnique(arguments, "-l" + library.str());
    }
  }
  return arguments;
}

llvm::StringRef cufort::driver::currentName(llvm::StringRef library, const CudaToolkit *toolkit,
                                            llvm::ArrayRef<std::string> userDirs) {
  // CUDA 13 has the functions of NVTX in another library.
  constexpr llvm::StringLiteral newer = "nvtx3interop";
  bool isReplaced = library == "nvToolsExt" && toolkit && directoryOf(library, toolkit->libraryDirs).empty() &&
                    !directoryOf(newer, toolkit->libraryDirs).empty();
  return isReplaced && directoryOf(library, userDirs).empty() ? llvm::StringRef(newer) : library;
}

std::vector<std::string> cufort::driver::directoriesOfLibraries(llvm::ArrayRef<llvm::StringRef> names,
                                                                const CudaToolkit &toolkit,
                                                                llvm::ArrayRef<std::string> userDirs) {
  std::vector<std::string> arguments;
  for (llvm::StringRef name : names) {
    std::string directory = directoryOf(name, toolkit.libraryDirs);
    if (directory.empty() || !directoryOf(name, userDirs).empty())
      continue;
    addUnique(arguments, "-L" + directory);
    addUnique(arguments, "-Wl,-rpath," + directory);
  }
  return arguments;
}
