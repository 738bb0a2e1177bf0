// Which sources must be compiled before which.
#pragma once

#include "driver/Jobs/ModuleScan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace cufort::driver {

/// One source must wait for another.
struct Dependency {
  size_t source;      ///< index of the source to wait for
  std::string module; ///< why; empty: to be on the safe side
};

/// Returns for each source of `sources` what it waits for. A module that no source defines and that `exists` does not
/// know makes its user wait for all sources before it on the command line, as does a source of unclear content before
/// it. If the modules depend on each other in a circle, every source waits for all before it.
std::vector<std::vector<Dependency>> orderSources(llvm::ArrayRef<ModuleInfo> sources,
                                                  llvm::function_ref<bool(llvm::StringRef module)> exists);

} // namespace cufort::driver
