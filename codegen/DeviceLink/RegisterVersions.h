// Versions of kernels with many registers.
#pragma once

#include "codegen/DeviceLink/LimitedRegisters.h"

namespace cufort::codegen {

/// Gives kernels of `code` that are written as such versions with many registers where these have more loads under way,
/// and returns the machine code; that of `usual` if there are none.
Assembled withWideVersions(Limited usual, GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
