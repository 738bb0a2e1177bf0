#include "driver/Toolchain/RuntimeLibraries.h"
#include "driver/Options/Errors.h"
#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
namespace path = llvm::sys::path;

namespace {

#if defined(__aarch64__)
constexpr llvm::StringLiteral machine = "aarch64";
#else
constexpr llvm::StringLiteral machine = "x86_64";
#endif

std::vector<std::string> searchDirs(const RuntimeLibraries &runtime) {
  std::vector<std::string> directories = {runtime.resourceDir};
  for (llvm::StringRef vendor : {"-pc-linux-gnu", "-unknown-linux-gnu"})
    directories.push_back(("/usr/lib/llvm-22/lib/clang/22/lib/" + machine + vendor).str());
  directories.push_back("/usr/lib/llvm-22/lib");
  return directories;
}

} // namespace

RuntimeLibraries cufort::driver::locateRuntime(llvm::StringRef executable, llvm::StringRef chosen) {
  llvm::SmallString<128> directory(chosen);
  if (directory.empty()) {
    directory = path::parent_path(path::parent_path(executable));
    path::append(directory, "lib", "cufort");
  }
  llvm::sys::fs::make_absolute(directory);
  path::remove_dots(directory, /*remove_dot_dot=*/true);
  RuntimeLibraries runtime;
  runtime.resourceDir = directory.str();
  path::append(directory, "modules");
  runtime.moduleDir = directory.str();
  return runtime;
}

llvm::Expected<std::string> RuntimeLibraries::find(llvm::StringRef name, const HostTools &tools) const {
  std::vector<std::string> directories = searchDirs(*this);
  for (const std::string &directory : directories) {
    std::string found = ifExists(directory + "/" + name);
    if (!found.empty())
      return found;
  }
  std::string found = findLibraryOfCompiler(tools.cc, name);
  if (!found.empty())
    return found;
  return failure("cannot find the runtime library " + name + "; looked in " + llvm::join(directories, ", ") +
                 " and where " + (tools.cc.empty() ? "the C compiler" : tools.cc) +
                 " looks; install it there or give --resource-dir=<dir>");
}

std::string cufort::driver::findOpenMPLibrary(const RuntimeLibraries &runtime, const HostTools &tools) {
  for (llvm::StringRef name : {"libomp.so", "libomp.so.5", "libiomp5.so"}) {
    llvm::Expected<std::string> found = runtime.find(name, tools);
    if (found)
      return *found;
    llvm::consumeError(found.takeError());
  }
  return "";
}
