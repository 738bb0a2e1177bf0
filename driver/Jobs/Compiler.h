// Where the driver meets the compiler: what it asks for, and the two calls it makes. driver/Main/cufort.cpp implements
// them with the front end and the code generators; the driver knows neither.
#pragma once

#include "driver/Options/Settings.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// One Fortran source to compile. All paths are as the user gave them or absolute; nothing is to be searched except
/// through the directories in `language`.
struct CompileJob {
  std::string input;
  std::string output; ///< file to write, in a private directory; never standard output
  Stage stopAfter = Stage::Object;
  std::string keepPrefix;  ///< -gpu=keep: write intermediates to this path plus ".cufx.mlir", ".ptx" ...; empty: none
  std::string resourceDir; ///< cufort's own libraries and modules: <bin>/../lib/cufort or --resource-dir
  LanguageSettings language;
  CodeGenSettings codeGen;
  DeviceSettings device;
  ReportSettings reports;
};

/// One input of a device link, in the order of the command line.
struct DeviceLinkInput {
  enum Kind { Object, Archive };
  Kind kind = Object;
  std::string path;
  bool wholeArchive = false; ///< between -Wl,--whole-archive and -Wl,--no-whole-archive
};

/// The device code of one executable or shared library, to be linked, finished and put into an image object.
struct DeviceLinkJob {
  std::vector<DeviceLinkInput> inputs;
  std::string output;                  ///< the image object to write, in a private directory
  bool shared = false;                 ///< the image goes into a shared library
  std::string keepPrefix, resourceDir; ///< as in CompileJob
  CodeGenSettings codeGen;             ///< of the code for the emulated device and of the image object itself
  DeviceSettings device;
  ReportSettings reports;
};

/// What compiles. The driver calls each function in a child process of its own, made before anything of LLVM is set
/// up, so an implementation may initialise, leak and crash as it likes. Messages for the user go to standard error,
/// which the driver collects. noteProgress() (driver/Jobs/Progress.h) says what is being done, for crash reports.
class Compiler {
public:
  virtual ~Compiler() = default;

  /// Compiles one source. An error made by alreadyReported() (driver/Options/Errors.h) fails without a further message.
  virtual llvm::Error compileFile(const CompileJob &job) = 0;

  /// Writes the image object and returns true, or returns false when no input has device code.
  virtual llvm::Expected<bool> linkDevice(const DeviceLinkJob &job) = 0;

  /// What --version says about the libraries inside, one line, for example "LLVM 22.1.8".
  virtual std::string componentVersions() const = 0;
};

} // namespace cufort::driver
