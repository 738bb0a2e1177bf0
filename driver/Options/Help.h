// The text of --help.
#pragma once

#include "llvm/Option/ArgList.h"
#include "llvm/Support/raw_ostream.h"

namespace cufort::driver {

/// Prints the help: all of it, or only on the options in `arguments` if there are any besides --help.
void printHelp(llvm::raw_ostream &os, llvm::StringRef program, const llvm::opt::InputArgList &arguments);

} // namespace cufort::driver
