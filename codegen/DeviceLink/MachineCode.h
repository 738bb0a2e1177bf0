// Machine code of a program's device code.
#pragma once

#include "codegen/DeviceLink/GpuCode.h"

namespace cufort::codegen {

/// Returns the machine code that ptxas makes of `code`. ptxas's messages are in the error.
///
/// Kernels that wait for memory and need a few registers more than let another block run are assembled again with so
/// many fewer, and stay so if that needs no other memory instead. Where the lean form of a kernel is better, the PTX of
/// `code` gets it, too; and kernels get versions with many registers that have many loads under way.
llvm::Expected<std::string> assemblePTX(GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
