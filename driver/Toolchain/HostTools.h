// The C and C++ compilers and the linker of this machine.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// What assembles, compiles C and links. Paths are absolute; what is missing is empty.
struct HostTools {
  std::string cc;                     ///< CUFORT_CC, or cc, gcc, clang on PATH
  std::string cxx;                    ///< CUFORT_CXX, or c++, g++, clang++ on PATH
  std::vector<std::string> useLinker; ///< arguments that make cc link with lld, if there is one
  std::string linker;                 ///< its path, for --print-toolchain
};

/// Returns the tools that are found.
HostTools findHostTools();

/// Returns the path of the library file `name` as `cc` finds it, or an empty string.
std::string findLibraryOfCompiler(llvm::StringRef cc, llvm::StringRef name);

} // namespace cufort::driver
