// What is to be done, job by job, before any of it is done.
#pragma once

#include "driver/Jobs/Compiler.h"
#include "driver/Jobs/Files.h"
#include "driver/Jobs/LinkerMessages.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/Messages.h"
#include "driver/Toolchain/Machine.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cufort::driver {

/// A job waits for another, and is not done if that one fails.
struct JobDependency {
  size_t job;
  std::string reason; ///< the module that is waited for; empty if it is not about a module
};

/// A program to run: the C compiler, nvcc, the linker.
struct ToolJob {
  std::vector<std::string> arguments; ///< the program's full path first
  std::string optionalInput;          ///< left out of `arguments` if an earlier job did not write this file
};

/// A file that a job makes and where it goes when the job has succeeded.
struct JobOutput {
  std::string made;
  std::string wanted; ///< empty: standard output
};

/// One step of a build.
struct Job {
  std::variant<CompileJob, DeviceLinkJob, ToolJob> work;
  std::string subject;                  ///< the file that messages are about; the output for a link
  std::vector<std::string> commandLine; ///< what -v and -### print
  std::vector<JobDependency> after;
  FileNames names; ///< temporary inputs that messages may name
  std::optional<JobOutput> output;
  std::string moduleDirMade, moduleDirWanted; ///< .mod files move from the first to the second; empty: none
  bool outputMayBeMissing = false;            ///< a device link of inputs without device code
};

/// The jobs of one invocation in an order in which they can be done.
struct Plan {
  std::vector<Job> jobs;
};

/// Plans `invocation`: checks that inputs exist and outputs can be written, finds the order of the sources, and
/// prepares files in `temporary`. Fails with every problem found.
llvm::Expected<Plan> makePlan(const Invocation &invocation, Machine &machine, TempDirectory &temporary,
                              Messages &messages);

// The parts of makePlan().

/// Fails if an input is missing or an output is impossible.
llvm::Error checkFiles(const Invocation &invocation, Messages &messages);

/// Returns where the object or other result of `input` goes when it is not linked; empty: standard output.
std::string compileOutput(const Invocation &invocation, const InputFile &input);

/// Adds the options by which nvcc makes code for `targets`.
void addNvccTargets(std::vector<std::string> &arguments, llvm::ArrayRef<DeviceTarget> targets);

/// Adds the jobs that compile the sources. `objects` gets, for each input, the object that is linked.
llvm::Error planSources(const Invocation &invocation, Machine &machine, TempDirectory &temporary, Messages &messages,
                        Plan &plan, std::vector<std::string> &objects);

/// Adds the device link and, if that is the goal, the link. `objects` is as planSources() left it.
llvm::Error planLink(const Invocation &invocation, Machine &machine, TempDirectory &temporary, Messages &messages,
                     Plan &plan, const std::vector<std::string> &objects);

} // namespace cufort::driver
