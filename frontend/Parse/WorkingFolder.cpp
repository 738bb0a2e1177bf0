// Flang makes the file name of every location absolute as it lowers, and LLVM asks the system for the folder each time.
// It is wrapped by the linker (--wrap, see CMakeLists.txt): the compiler stays where it is started.

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <system_error>

#define MAKE_ABSOLUTE "_ZN4llvm3sys2fs13make_absoluteERNS_15SmallVectorImplIcEE"

std::error_code makeAbsolute(llvm::SmallVectorImpl<char> &path) asm("__wrap_" MAKE_ABSOLUTE);

std::error_code makeAbsolute(llvm::SmallVectorImpl<char> &path) {
  if (llvm::sys::path::is_absolute(path))
    return {};
  static llvm::SmallString<128> folder;
  if (folder.empty())
    if (std::error_code error = llvm::sys::fs::current_path(folder))
      return folder.clear(), error;
  llvm::sys::path::make_absolute(folder, path);
  return {};
}
