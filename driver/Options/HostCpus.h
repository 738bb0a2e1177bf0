// The host processors that -tp= knows.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace cufort::driver {

/// Returns LLVM's name of the processor that -tp= calls `name` ("native" stays "native"; "" is the baseline of the
/// architecture), or nothing if no such processor is known.
std::optional<llvm::StringRef> llvmCpuName(llvm::StringRef name);

/// True if -march= takes `name`: it is "native" or LLVM's name of a processor.
bool isLlvmCpu(llvm::StringRef name);

/// Returns all names of -march=, or none where they are not known.
llvm::SmallVector<llvm::StringRef, 64> llvmCpuNames();

/// Returns all names of -tp=.
llvm::SmallVector<llvm::StringRef, 64> hostCpuNames();

} // namespace cufort::driver
