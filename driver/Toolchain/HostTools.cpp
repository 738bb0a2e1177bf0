#include "driver/Toolchain/HostTools.h"
#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;

namespace {

/// Returns the program that `variable` names, or else the first of `names` on PATH.
std::string findTool(const char *variable, llvm::ArrayRef<llvm::StringRef> names) {
  std::string chosen = environment(variable);
  return chosen.empty() ? findOnPath(names) : findOnPath({chosen});
}

void findLld(HostTools &tools) {
  tools.linker = findOnPath({"ld.lld"});
  if (!tools.linker.empty()) {
    tools.useLinker = {"-fuse-ld=lld"};
    return;
  }
  // Installed under a versioned name only: -B makes the compiler look where it has its plain name.
  const char *directory = "/usr/lib/llvm-22/bin";
  tools.linker = ifExists(llvm::Twine(directory) + "/ld.lld");
  if (!tools.linker.empty())
    tools.useLinker = {std::string("-B") + directory, "-fuse-ld=lld"};
}

} // namespace

HostTools cufort::driver::findHostTools() {
  HostTools tools;
  tools.cc = findTool("CUFORT_CC", {"cc", "gcc", "clang"});
  tools.cxx = findTool("CUFORT_CXX", {"c++", "g++", "clang++"});
  findLld(tools);
  return tools;
}

std::string cufort::driver::findLibraryOfCompiler(llvm::StringRef cc, llvm::StringRef name) {
  if (cc.empty())
    return "";
  std::string argument = "-print-file-name=" + name.str();
  std::string answer = outputOf({cc, argument});
  llvm::StringRef file = llvm::StringRef(answer).rtrim();
  // A compiler that does not find the file prints the bare name.
  if (!llvm::sys::path::is_absolute(file))
    return "";
  llvm::SmallString<128> plain(file);
  llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
  return ifExists(plain);
}
