// The driver's settings as the front end and the code generators take them.
#pragma once

#include "codegen/Support/CodegenOptions.h"
#include "driver/Jobs/Compiler.h"
#include "frontend/Parse/FrontendOptions.h"

namespace cufort::driver {

/// Front end options of `job`.
frontend::FrontendOptions frontendOptions(const CompileJob &job);

/// Code generation options of `job`.
codegen::CodegenOptions codegenOptions(const CompileJob &job, const std::string &deviceLibraryDir);

/// Code generation options of a device link.
codegen::CodegenOptions codegenOptions(const CodeGenSettings &host, const DeviceSettings &device,
                                       const std::string &deviceLibraryDir);

} // namespace cufort::driver
