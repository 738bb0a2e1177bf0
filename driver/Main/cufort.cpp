// cufort: the CUDA Fortran compiler.

#include "driver/Main/Driver.h"
#include "driver/Main/FortranCompiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

/// The folder of libraries and modules that belongs to this executable: <bin>/../lib/cufort.
static std::string libraryFolder(const char *argv0) {
  static int anchor;
  std::string executable = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(llvm::sys::path::parent_path(executable)));
  llvm::sys::path::append(folder, "lib", "cufort");
  return folder.str().str();
}

int main(int argc, char **argv) {
  cufort::driver::FortranCompiler compiler(libraryFolder(argv[0]));
  return cufort::driver::runDriver(argc, argv, compiler);
}
