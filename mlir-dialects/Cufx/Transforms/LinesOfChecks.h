// Where in the source the checks of host code are that one function reports.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// On a function that reports what is wrong on any line of one file: the path of the file. The function's last argument
/// is the number of the line.
inline constexpr llvm::StringLiteral fileOfChecksAttribute = "cufx.file_of_checks";

} // namespace cufort::cufx
