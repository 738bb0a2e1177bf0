// Where cufort's own libraries and modules are, and the two runtimes that come with the machine.
#pragma once

#include "driver/Toolchain/HostTools.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// The resource directory and what a link takes from it.
struct RuntimeLibraries {
  std::string resourceDir; ///< <bin>/../lib/cufort, or what --resource-dir says
  std::string moduleDir;   ///< cudafor.mod and the intrinsic modules

  /// Returns the path of a library file that a link needs: in the resource directory, where LLVM 22 is installed, or
  /// where `tools.cc` finds it. Fails with the list of places that were searched.
  llvm::Expected<std::string> find(llvm::StringRef name, const HostTools &tools) const;
};

/// Returns the layout for a program at `executable`; `chosen` is the value of --resource-dir or empty.
RuntimeLibraries locateRuntime(llvm::StringRef executable, llvm::StringRef chosen);

/// Names of the library files, as find() takes them.
constexpr llvm::StringLiteral cufortRuntimeFile = "libcufort_rt.a";
constexpr llvm::StringLiteral flangRuntimeFile = "libflang_rt.runtime.a";

/// Returns the OpenMP runtime that code made by LLVM calls: libomp of LLVM 22 or any newer or older one on the
/// machine. Empty if there is none.
std::string findOpenMPLibrary(const RuntimeLibraries &runtime, const HostTools &tools);

} // namespace cufort::driver
