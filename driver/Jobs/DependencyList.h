// Rules for make: which files the object and the module files of a source are made of.
#pragma once

#include "driver/Options/Invocation.h"
#include "llvm/Support/Error.h"

namespace cufort::driver {

/// Writes a rule for each Fortran source of `invocation`, where its options say. Modules in `compilerModuleDir` do not
/// change and are left out.
llvm::Error writeDependencyLists(const Invocation &invocation, llvm::StringRef compilerModuleDir);

} // namespace cufort::driver
