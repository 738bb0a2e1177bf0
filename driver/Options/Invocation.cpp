#include "driver/Options/Invocation.h"
#include "driver/Options/Errors.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

struct StageInfo {
  llvm::StringLiteral name;
  Stage stage;
  llvm::StringLiteral help;
};

const StageInfo stages[] = {
    {"preprocessed", Stage::Preprocess, "Fortran text after the preprocessor, as -E"},
    {"syntax", Stage::Syntax, "messages only, as -fsyntax-only"},
    {"hlfir", Stage::HLFIR, "MLIR text as the Fortran front end lowers it"},
    {"fir", Stage::FIR, "MLIR text after HLFIR is gone"},
    {"cufx", Stage::Cufx, "MLIR text with all CUDA constructs explicit, before host and device part"},
    {"nvvm", Stage::NVVM, "MLIR text of the device part in the nvvm dialect"},
    {"llvm", Stage::DeviceLLVM, "LLVM IR of the device part"},
    {"ptx", Stage::PTX, "PTX of the device part"},
    {"emulated-llvm", Stage::EmulatedLLVM, "LLVM IR of the device part for the emulated device"},
    {"host-llvm", Stage::HostLLVM, "LLVM IR of the host part"},
    {"asm", Stage::Assembly, "host assembly in <source>.s, as -S"},
    {"obj", Stage::Object, "an object file <source>.o, as -c"},
};

llvm::Error setStage(llvm::StringRef name, Invocation &invocation) {
  llvm::SmallVector<llvm::StringRef, 16> known;
  for (const StageInfo &info : stages) {
    if (info.name == name) {
      invocation.stopAfter = info.stage;
      return llvm::Error::success();
    }
    known.push_back(info.name);
  }
  return unknownValue("-emit=", name, known);
}

/// Decodes -c, -S, -E, -F, -P, -fsyntax-only, -emit= and --device-link: the last one counts.
llvm::Error decodeGoal(const InputArgList &arguments, Invocation &invocation) {
  const Arg *last = arguments.getLastArg(OPT_c, OPT_S, OPT_E, OPT_F, OPT_P, OPT_fsyntax_only, OPT_emit_EQ,
                                        OPT_device_link);
  if (!last)
    return llvm::Error::success();
  invocation.goal = Goal::Compile;
  switch (last->getOption().getID()) {
  case OPT_S:
    invocation.stopAfter = Stage::Assembly;
    break;
  case OPT_F:
  case OPT_P:
    invocation.preprocessedSuffix = last->getOption().getID() == OPT_F ? ".f" : ".i";
    [[fallthrough]];
  case OPT_E:
    invocation.stopAfter = Stage::Preprocess;
    break;
  case OPT_fsyntax_only:
    invocation.stopAfter = Stage::Syntax;
    break;
  case OPT_emit_EQ:
    return setStage(last->getValue(), invocation);
  case OPT_device_link:
    invocation.goal = Goal::DeviceLink;
    break;
  default: // -c
    break;
  }
  return llvm::Error::success();
}

llvm::Error decodeLimits(const InputArgList &arguments, Invocation &invocation) {
  if (const Arg *jobs = arguments.getLastArg(OPT_jobs_EQ)) {
    llvm::Expected<unsigned> number = parseNumber("--jobs=", jobs->getValue());
    if (!number)
      return number.takeError();
    invocation.maxJobs = *number;
  }
  if (const Arg *limit = arguments.getLastArg(OPT_time_limit_EQ)) {
    llvm::Expected<unsigned> number = parseNumber("--time-limit=", limit->getValue());
    if (!number)
      return number.takeError();
    invocation.timeLimit = *number;
  }
  return llvm::Error::success();
}

Action decodeAction(const InputArgList &arguments) {
  if (arguments.hasArg(OPT_help))
    return Action::Help;
  bool onlyAsks = !arguments.hasArg(OPT_INPUT) && arguments.hasArg(OPT_V, OPT_v);
  if (arguments.hasArg(OPT_version))
    return Action::Version;
  if (arguments.hasArg(OPT_dumpversion))
    return Action::DumpVersion;
  if (arguments.hasArg(OPT_dumpmachine))
    return Action::DumpMachine;
  if (arguments.hasArg(OPT_print_toolchain))
    return Action::PrintToolchain;
  if (arguments.hasArg(OPT_accel_info))
    return Action::AccelInfo;
  return onlyAsks ? Action::Version : Action::Build;
}

/// Collects the input files; -x changes how those after it are read.
llvm::Error decodeInputs(const InputArgList &arguments, Invocation &invocation) {
  std::optional<FileTraits> forced;
  for (const Arg *argument : arguments.filtered(OPT_INPUT, OPT_x)) {
    llvm::StringRef value = argument->getValue();
    if (argument->getOption().matches(OPT_x)) {
      forced = value == "none" ? std::nullopt : classifyLanguage(value);
      if (!forced && value != "none")
        return unknownValue("-x", value, {"cuda", "f95", "f95-cpp-input", "f77", "c", "c++", "none"});
      continue;
    }
    if (value == "-")
      return usageError("cannot compile standard input; write it to a file");
    FileTraits traits = forced ? *forced : classifyFile(value);
    // CMake's NVHPC rules give "-Werror all-warnings".
    if (value != "all-warnings" || !arguments.hasArg(OPT_Werror))
      invocation.inputs.push_back({value.str(), traits});
  }
  return llvm::Error::success();
}

/// Warns of options that -noswitcherror lets pass.
void warnOfUnknownOptions(const InputArgList &arguments, Messages &messages) {
  for (const Arg *argument : arguments.filtered(OPT_UNKNOWN))
    messages.warning(describeUnknownOption(argument->getAsString(arguments)));
}

/// Warns of options that are accepted and do nothing yet, each once.
void warnOfLaterOptions(const InputArgList &arguments, Messages &messages) {
  for (const Arg *argument : arguments)
    if (argument->getOption().hasFlag(Later))
      messages.warning("'" + argument->getSpelling() + "' has no effect yet");
}

} // namespace

llvm::Expected<Invocation> cufort::driver::decodeInvocation(const InputArgList &arguments, Messages &messages) {
  Invocation invocation;
  invocation.action = decodeAction(arguments);
  invocation.dryRun = arguments.hasArg(OPT_HASH3);
  invocation.output = arguments.getLastArgValue(OPT_o).str();
  invocation.resourceDir = arguments.getLastArgValue(OPT_resource_dir_EQ).str();
  if (arguments.hasArg(OPT_w))
    messages.disableWarnings();

  llvm::Error error = decodeGoal(arguments, invocation);
  auto then = [&](llvm::function_ref<llvm::Error()> decode) {
    if (!error)
      error = decode();
  };
  then([&] { return decodeLimits(arguments, invocation); });
  then([&] { return decodeInputs(arguments, invocation); });
  then([&] { return decodeLanguage(arguments, invocation); });
  then([&] { return decodeCodeGen(arguments, invocation); });
  then([&] { return decodeGpu(arguments, invocation, messages); });
  then([&] { return decodeReports(arguments, invocation, messages); });
  then([&] { return decodeLink(arguments, invocation); });
  if (error)
    return error;
  warnOfUnknownOptions(arguments, messages);
  warnOfLaterOptions(arguments, messages);
  return invocation;
}

void cufort::driver::forEachStage(llvm::function_ref<void(llvm::StringRef, llvm::StringRef)> print) {
  for (const StageInfo &info : stages)
    print(info.name, info.help);
}

llvm::StringRef cufort::driver::stageName(Stage stage) {
  for (const StageInfo &info : stages)
    if (info.stage == stage)
      return info.name;
  return "obj";
}
