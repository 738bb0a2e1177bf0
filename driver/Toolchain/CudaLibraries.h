// The libraries of -cudalib=, and what has become of those that Makefiles name.
#pragma once

#include "driver/Options/Messages.h"
#include "driver/Toolchain/CudaToolkit.h"
#include "driver/Toolchain/RuntimeLibraries.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// Returns the arguments of the linker that the values of -cudalib= mean, with the directories of `toolkit` (null:
/// none), without duplicates. Warns of libraries that are neither there nor in `userDirs` nor in `runtime`, which the
/// linker searches anyway. Unknown names are usage errors.
llvm::Expected<std::vector<std::string>> linkCudaLibraries(llvm::ArrayRef<std::string> names,
                                                           const CudaToolkit *toolkit,
                                                           llvm::ArrayRef<std::string> userDirs,
                                                           const RuntimeLibraries &runtime, Messages &messages);

/// Returns the value of -cudalib= for the library that has the function `name` of C, in any case of letters, by the
/// prefix of the name; empty if it is of none.
llvm::StringRef cudaLibraryOf(llvm::StringRef name);

/// Returns the library of `toolkit` (null: none) that has come in the place of `library`, or `library` itself if it is
/// still there, or in `userDirs`.
llvm::StringRef currentName(llvm::StringRef library, const CudaToolkit *toolkit, llvm::ArrayRef<std::string> userDirs);

/// Returns the arguments with which the linker finds those libraries `names` of -l options that are in `toolkit` and
/// not in `userDirs`.
std::vector<std::string> directoriesOfLibraries(llvm::ArrayRef<llvm::StringRef> names, const CudaToolkit &toolkit,
                                                llvm::ArrayRef<std::string> userDirs);

} // namespace cufort::driver
