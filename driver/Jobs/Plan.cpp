#include "driver/Jobs/Plan.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <unistd.h>

using namespace cufort::driver;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

llvm::Error checkInput(const InputFile &input) {
  fs::file_status status;
  if (std::error_code error = fs::status(input.path, status)) {
    if (error == std::errc::no_such_file_or_directory)
      return failure("no such file: '" + input.path + "'");
    return failure("cannot read '" + input.path + "': " + error.message());
  }
  if (fs::is_directory(status))
    return failure("'" + input.path + "' is a directory");
  if (access(input.path.c_str(), R_OK) != 0)
    return failure("cannot read '" + input.path + "': " + std::error_code(errno, std::generic_category()).message());
  return llvm::Error::success();
}

bool isFortran(llvm::StringRef file) { return classifyFile(file).kind == FileKind::Fortran; }

/// Fails if `output` would replace a source: one of the inputs, or any existing Fortran file ("-o x.cuf" is a slip).
llvm::Error checkOverwrites(const Invocation &invocation, llvm::StringRef output) {
  if (output.empty())
    return llvm::Error::success();
  for (const InputFile &input : invocation.inputs)
    if (fs::equivalent(input.path, output))
      return usageError("the output '" + output + "' is an input file");
  bool text = invocation.goal == Goal::Compile && invocation.stopAfter == Stage::Preprocess;
  if (!text && isFortran(output) && fs::exists(output))
    return usageError("the output '" + output + "' is an existing source file; was a file name forgotten after -o?");
  return checkWritable(output);
}

llvm::Error checkLinkOutput(const Invocation &invocation) {
  return checkOverwrites(invocation, invocation.output.empty() ? "a.out" : invocation.output);
}

/// Checks the outputs of -c and the like: one each, and all different.
llvm::Error checkCompileOutputs(const Invocation &invocation, Messages &messages) {
  llvm::StringMap<llvm::StringRef> makers;
  unsigned sources = 0;
  llvm::Error errors = llvm::Error::success();
  for (const InputFile &input : invocation.inputs) {
    if (!isSource(input.traits.kind)) {
      messages.warning("'" + input.path + "' is not used, because nothing is linked");
      continue;
    }
    if (++sources == 2 && !invocation.output.empty())
      return llvm::joinErrors(std::move(errors),
                              usageError("'-o " + invocation.output + "' cannot name the outputs of several sources"));
    std::string output = compileOutput(invocation, input);
    auto [maker, isNew] = makers.try_emplace(output, input.path);
    if (!isNew && !output.empty())
      errors = llvm::joinErrors(std::move(errors),
                                usageError("'" + maker->second + "' and '" + input.path +
                                           "' would both be compiled to '" + output + "'; compile them one by one"));
    errors = llvm::joinErrors(std::move(errors), checkOverwrites(invocation, output));
  }
  if (sources == 0 && !errors)
    return usageError("no source files to compile");
  return errors;
}

llvm::Error checkModuleDir(const Invocation &invocation) {
  if (!invocation.moduleDir.empty() && !fs::is_directory(invocation.moduleDir))
    return failure("the module directory '" + invocation.moduleDir + "' does not exist; create it");
  return llvm::Error::success();
}

} // namespace

std::string cufort::driver::compileOutput(const Invocation &invocation, const InputFile &input) {
  llvm::StringRef stem = path::stem(input.path);
  bool toFile = !invocation.preprocessedSuffix.empty() || invocation.stopAfter >= Stage::Assembly;
  if (!invocation.output.empty())
    return invocation.output == "-" ? "" : invocation.output;
  if (!toFile)
    return "";
  if (!invocation.preprocessedSuffix.empty())
    return (stem + invocation.preprocessedSuffix).str();
  return (stem + (invocation.stopAfter == Stage::Assembly ? ".s" : ".o")).str();
}

llvm::Error cufort::driver::checkFiles(const Invocation &invocation, Messages &messages) {
  if (invocation.inputs.empty())
    return usageError("no input files (--help explains the use)");
  llvm::Error errors = llvm::Error::success();
  for (const InputFile &input : invocation.inputs)
    errors = llvm::joinErrors(std::move(errors), checkInput(input));
  errors = llvm::joinErrors(std::move(errors), checkModuleDir(invocation));
  if (errors)
    return errors;
  return invocation.goal == Goal::Compile ? checkCompileOutputs(invocation, messages) : checkLinkOutput(invocation);
}

llvm::Expected<Plan> cufort::driver::makePlan(const Invocation &invocation, Machine &machine, TempDirectory &temporary,
                                              Messages &messages) {
  Plan plan;
  std::vector<std::string> objects;
  if (llvm::Error error = checkFiles(invocation, messages))
    return error;
  if (llvm::Error error = planSources(invocation, machine, temporary, messages, plan, objects))
    return error;
  if (invocation.goal != Goal::Compile)
    if (llvm::Error error = planLink(invocation, machine, temporary, messages, plan, objects))
      return error;
  return plan;
}
