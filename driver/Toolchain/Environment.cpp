#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace cufort::driver;

std::string cufort::driver::environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string cufort::driver::findOnPath(llvm::ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  return "";
}

std::string cufort::driver::ifExists(const llvm::Twine &path) {
  std::string text = path.str();
  return llvm::sys::fs::exists(text) && !llvm::sys::fs::is_directory(text) ? text : "";
}

std::string cufort::driver::outputOf(llvm::ArrayRef<llvm::StringRef> argv) {
  llvm::SmallString<64> file;
  if (llvm::sys::fs::createTemporaryFile("cufort", "txt", file))
    return "";
  llvm::FileRemover remover(file);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), file.str(), llvm::StringRef()};
  if (llvm::sys::ExecuteAndWait(argv.front(), argv, std::nullopt, redirects, /*SecondsToWait=*/30) != 0)
    return "";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(file);
  return text ? (*text)->getBuffer().str() : "";
}
