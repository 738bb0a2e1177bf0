// Jobs as command lines: what -v and -### print can be run by hand.
#pragma once

#include "driver/Jobs/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// What a rendered command needs besides the job.
struct RenderContext {
  std::string program;         ///< cufort's own path
  std::string moduleDir;       ///< where the job's modules end up
  std::string resourceDir;     ///< --resource-dir as given, or empty
  bool defaultTargets = false; ///< the targets were not chosen on the command line
};

/// Returns a cufort command that does `job`.
std::vector<std::string> renderCompile(const CompileJob &job, const RenderContext &context);

/// Returns a cufort command that does `job`.
std::vector<std::string> renderDeviceLink(const DeviceLinkJob &job, const RenderContext &context);

/// Prints `command` in one line, quoted for a shell.
void printCommand(llvm::raw_ostream &os, llvm::ArrayRef<std::string> command);

} // namespace cufort::driver
