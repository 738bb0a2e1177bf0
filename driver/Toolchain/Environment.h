// Small questions about the machine that several searches ask.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace cufort::driver {

/// Returns the value of an environment variable, or an empty string if it is not set.
std::string environment(const char *name);

/// Returns the first of `names` that is a program on PATH, with its full path, or an empty string.
std::string findOnPath(llvm::ArrayRef<llvm::StringRef> names);

/// Returns `path` if a file is there, else an empty string.
std::string ifExists(const llvm::Twine &path);

/// Returns what the program at `argv[0]` prints on standard output, or an empty string if it fails.
std::string outputOf(llvm::ArrayRef<llvm::StringRef> argv);

} // namespace cufort::driver
