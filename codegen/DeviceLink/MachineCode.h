// Machine code of a program's device code.
#pragma once

#include "codegen/DeviceLink/GpuCode.h"

namespace cufort::codegen {

/// Returns the machine code that ptxas makes of `code`. ptxas's messages are in the error.
///
/// Kernels need registers for all of their versions. Where the unlikely ones need more and so keep blocks from running,
/// the kernel gets as many as the others need. Kernels that wait for memory and need a few registers more than let
/// another block run are assembled again with so many fewer, and stay so if that needs no other memory instead.
llvm::Expected<std::string> assemblePTX(const GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
