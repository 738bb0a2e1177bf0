// The compiler behind the driver: front end, code generation and device link.
#pragma once

#include "driver/Jobs/Compiler.h"

namespace cufort::driver {

/// Compiles with Flang's front end and the code generators of this project. Runs in a child process of the driver.
class FortranCompiler : public Compiler {
public:
  /// `deviceLibraryDir` holds the bitcode of the device library.
  explicit FortranCompiler(std::string deviceLibraryDir) : deviceLibraryDir(std::move(deviceLibraryDir)) {}

  llvm::Error compileFile(const CompileJob &job) override;
  llvm::Expected<bool> linkDevice(const DeviceLinkJob &job) override;
  std::string componentVersions() const override;

private:
  std::string deviceLibraryDir;
};

} // namespace cufort::driver
