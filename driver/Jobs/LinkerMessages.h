// What linkers say, in the words of a user of this compiler.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace cufort::driver {

/// Temporary files, and the files of the user that they were made of.
using FileNames = std::vector<std::pair<std::string, std::string>>;

/// Returns `text` with the names of the user in place of those of temporary files.
std::string withUserNames(llvm::StringRef text, const FileNames &names);

/// Returns what the linker has written, lld or GNU ld, as messages of the program `programName`: Fortran's names
/// instead of symbols, sources instead of temporary objects, every problem once.
std::string explainLinkerOutput(llvm::StringRef output, const FileNames &names, llvm::StringRef programName);

} // namespace cufort::driver
