#include "driver/Options/OptionTable.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

#define OPTTABLE_STR_TABLE_CODE
#include "driver/Options/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "driver/Options/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "driver/Options/Options.inc"
#undef OPTION
};

class DriverOptionTable : public GenericOptTable {
public:
  DriverOptionTable() : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};

/// The architecture that nvcc's `-arch=sm_80` or `-gencode arch=compute_80,code=sm_80` names, as in "80"; "90" if it
/// names none.
llvm::StringRef architectureIn(llvm::StringRef argument) {
  for (llvm::StringRef prefix : {"sm_", "compute_"})
    if (size_t at = argument.find(prefix); at != llvm::StringRef::npos)
      return argument.drop_front(at + prefix.size()).take_while(llvm::isAlnum);
  return "90";
}

/// Returns what to write instead of an option of another compiler, or an empty string.
std::string equivalentOf(llvm::StringRef argument) {
  if (argument.starts_with("-arch=") || argument.starts_with("--gpu-architecture") || argument.starts_with("-gencode"))
    return "-gpu=cc" + architectureIn(argument).str();
  return llvm::StringSwitch<std::string>(argument.split('=').first)
      .Cases({"-openmp", "-qopenmp", "-xopenmp"}, "-mp")
      .Cases({"-openacc", "--openacc"}, "-acc")
      .Cases({"-use_fast_math", "--use_fast_math"}, "-gpu=fastmath")
      .Cases({"-lineinfo", "--generate-line-info"}, "-gpu=lineinfo")
      .Cases({"-maxrregcount", "--maxrregcount"}, "-gpu=maxregcount:<n>")
      .Cases({"-rdc", "--relocatable-device-code"}, "-gpu=rdc")
      .Default("");
}

llvm::Error expandResponseFiles(llvm::SmallVectorImpl<const char *> &arguments, llvm::StringSaver &saver) {
  llvm::cl::ExpansionContext context(saver.getAllocator(), llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = context.expandResponseFiles(arguments))
    return usageError(llvm::toString(std::move(error)));
  return llvm::Error::success();
}

} // namespace

const OptTable &cufort::driver::optionTable() {
  static const DriverOptionTable table;
  return table;
}

std::string cufort::driver::describeUnknownOption(llvm::StringRef argument) {
  std::string nearest = equivalentOf(argument);
  if (nearest.empty()) {
    // Judged by the option's name: its value may be long and right.
    unsigned length = argument.split('=').first.size();
    unsigned distance = optionTable().findNearest(argument, nearest, Visibility(), /*MinimumLength=*/2);
    if (distance > (length + 3) / 4)
      nearest.clear();
  }
  if (nearest.empty())
    return ("unknown option '" + argument + "' (--help lists the options)").str();
  return ("unknown option '" + argument + "'; did you mean '" + nearest + "'?").str();
}

llvm::Expected<InputArgList> cufort::driver::parseArguments(llvm::ArrayRef<const char *> arguments,
                                                            llvm::StringSaver &saver) {
  llvm::SmallVector<const char *, 64> expanded(arguments.begin(), arguments.end());
  if (llvm::Error error = expandResponseFiles(expanded, saver))
    return error;
  // The list refers to the array of its arguments: both must outlive this function.
  const char **stored = saver.getAllocator().Allocate<const char *>(expanded.size());
  llvm::copy(expanded, stored);

  unsigned missingIndex = 0, missingCount = 0;
  InputArgList list = optionTable().ParseArgs({stored, expanded.size()}, missingIndex, missingCount);
  if (missingCount)
    return usageError(llvm::Twine("option '") + list.getArgString(missingIndex) + "' needs a value");
  if (list.hasArg(OPT_noswitcherror))
    return list;
  llvm::Error errors = llvm::Error::success();
  for (const Arg *argument : list.filtered(OPT_UNKNOWN))
    errors = llvm::joinErrors(std::move(errors), usageError(describeUnknownOption(argument->getAsString(list))));
  if (errors)
    return errors;
  return list;
}
