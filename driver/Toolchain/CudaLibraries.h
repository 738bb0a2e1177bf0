// The libraries of -cudalib=.
#pragma once

#include "driver/Options/Messages.h"
#include "driver/Toolchain/CudaToolkit.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// Returns the arguments of the linker that the values of -cudalib= mean, with the directories of `toolkit` (null:
/// none), without duplicates. Warns of libraries that are neither there nor in `otherDirs`, which the linker searches
/// anyway. Unknown names are usage errors.
llvm::Expected<std::vector<std::string>> linkCudaLibraries(llvm::ArrayRef<std::string> names,
                                                           const CudaToolkit *toolkit,
                                                           llvm::ArrayRef<std::string> otherDirs, Messages &messages);

/// Returns the arguments with which the linker finds those libraries `names` of -l options that are in `toolkit` and
/// not in `otherDirs`.
std::vector<std::string> directoriesOfLibraries(llvm::ArrayRef<llvm::StringRef> names, const CudaToolkit &toolkit,
                                                llvm::ArrayRef<std::string> otherDirs);

} // namespace cufort::driver
