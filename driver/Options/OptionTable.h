// The table that Options.td generates, and the first step over a command line.
#pragma once

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

namespace cufort::driver {

/// Flags of an option, beside LLVM's own; see Options.td.
enum OptionFlag : unsigned { NoEffect = 1u << 4, Later = 1u << 5, ToLinker = 1u << 6 };

/// One OPT_<name> for every definition in Options.td.
enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "driver/Options/Options.inc"
#undef OPTION
};

/// Returns the table, which lives as long as the program.
const llvm::opt::OptTable &optionTable();

/// Returns what the user is told about `argument`, which is no option, with the option that may be meant.
std::string describeUnknownOption(llvm::StringRef argument);

/// Returns the arguments (without the program name) as options and inputs. Response files (@file) are expanded; their
/// text and that of the result live as long as `saver`. Fails on missing values, and without -noswitcherror on
/// unknown options.
llvm::Expected<llvm::opt::InputArgList> parseArguments(llvm::ArrayRef<const char *> arguments,
                                                       llvm::StringSaver &saver);

} // namespace cufort::driver
